import { it } from 'vitest';
import { openaiChatBuilder } from '../../src/testing/wire-builder.ts';
import { checkHistories } from './support/check-histories.ts';

it('random histories keep every invariant, openai-chat', () => checkHistories(openaiChatBuilder), 300_000);
