/** The events of a stream-json run as short labels, equal neighbours counted. */

interface StreamEvent {
  readonly type: string;
  readonly name?: string;
  readonly isError?: boolean;
  readonly stop?: string;
  readonly event?: {
    readonly type: string;
    readonly layer?: string;
    readonly trigger?: string;
    readonly refusal?: string;
  };
}

const TRIGGER: Readonly<Record<string, string>> = {
  threshold: '[auto compact]',
  overflow: '[reactive compact]',
  manual: '[compact]',
};

function contextLabel(event: NonNullable<StreamEvent['event']>): string | undefined {
  if (event.type === 'layer-apply') return event.layer === 'summary' ? undefined : `[${event.layer}]`;
  if (event.type === 'summary-start') return TRIGGER[event.trigger ?? ''];
  if (event.type === 'summary-end') return event.refusal === undefined ? undefined : `refused: ${event.refusal}`;
  return event.type === 'turn-overflow' ? '[too long]' : undefined;
}

function labelOf(event: StreamEvent): string | undefined {
  if (event.type === 'tool-start') return event.name;
  if (event.type === 'tool-end') return event.isError === true ? `${event.name} failed` : undefined;
  if (event.type === 'context' && event.event !== undefined) return contextLabel(event.event);
  return event.type === 'result' ? event.stop : undefined;
}

export function labelsOf(stream: string): readonly string[] {
  const labels = stream
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => labelOf(JSON.parse(line) as StreamEvent) ?? []);
  const counted: { label: string; count: number }[] = [];
  for (const label of labels) {
    const last = counted.at(-1);
    if (last?.label === label) last.count += 1;
    else counted.push({ label, count: 1 });
  }
  return counted.map(({ label, count }) => (count === 1 ? label : `${label} x${count}`));
}
