/**
 * Names of the folders the agent keeps in a workspace. Searching leaves them out, or each search would find the one before in the session
 * log; writing there needs a rule that names them.
 */
export const AGENT_FOLDERS: readonly string[] = ['.holdover', '.transcripts', '.task_outputs'];
