/** A workspace for one call: paths the permission rules were asked about must still lead where they led then. */
import type { Access } from '../tools/tool.ts';
import { quote, type ResolvedPath, type Workspace } from './workspace.ts';

/** Taken when the call is judged. A link put in the place of a file afterwards is refused, wherever it leads. */
export function asJudged(workspace: Workspace, accesses: readonly Access[]): Workspace {
  const judged = new Map<string, ResolvedPath>();
  for (const access of accesses) {
    if (access.kind === 'read' || access.kind === 'write')
      judged.set(`${access.kind} ${access.path}`, workspace.resolve(access.path, access.kind));
  }
  return {
    root: workspace.root,
    extraRoots: workspace.extraRoots,
    resolve(path, purpose = 'read') {
      const now = workspace.resolve(path, purpose);
      const then = judged.get(`${purpose} ${path}`);
      if (!now.ok || then === undefined || (then.ok && then.path === now.path)) return now;
      return { ok: false, reason: `${quote(path)} leads elsewhere than when permission was given` };
    },
  };
}
