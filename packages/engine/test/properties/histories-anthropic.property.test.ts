import { it } from 'vitest';
import { anthropicBuilder } from '../../src/testing/wire-builder.ts';
import { checkHistories } from './support/check-histories.ts';

it('random histories keep every invariant, anthropic', () => checkHistories(anthropicBuilder), 300_000);
