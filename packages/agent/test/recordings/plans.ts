/** The sessions that are recorded: six to tune on, six to report apart. */
import type { SessionPlan } from './record.ts';
import { bugHunt } from './sessions/bug-hunt.ts';
import { dataCleaning } from './sessions/data-cleaning.ts';
import { dependencyUpgrade } from './sessions/dependency-upgrade.ts';
import { docsPlan } from './sessions/docs-plan.ts';
import { incidentReview } from './sessions/incident-review.ts';
import { largeFiles } from './sessions/large-files.ts';
import { logAnalysis } from './sessions/log-analysis.ts';
import { refactorErrors } from './sessions/refactor-errors.ts';
import { renameGo } from './sessions/rename-go.ts';
import { shellMarathon } from './sessions/shell-marathon.ts';
import { testWriting } from './sessions/test-writing.ts';
import { webappFeature } from './sessions/webapp-feature.ts';

export const PLANS: readonly SessionPlan[] = [
  refactorErrors,
  bugHunt,
  logAnalysis,
  docsPlan,
  webappFeature,
  shellMarathon,
  renameGo,
  dataCleaning,
  testWriting,
  dependencyUpgrade,
  incidentReview,
  largeFiles,
];
