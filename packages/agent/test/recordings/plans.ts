/** The sessions that are recorded: six to tune on, six to report apart. */
import type { SessionPlan } from './record.ts';
import { bugHunt } from './sessions/bug-hunt.ts';
import { docsPlan } from './sessions/docs-plan.ts';
import { logAnalysis } from './sessions/log-analysis.ts';
import { refactorErrors } from './sessions/refactor-errors.ts';
import { shellMarathon } from './sessions/shell-marathon.ts';
import { webappFeature } from './sessions/webapp-feature.ts';

export const PLANS: readonly SessionPlan[] = [refactorErrors, bugHunt, logAnalysis, docsPlan, webappFeature, shellMarathon];
