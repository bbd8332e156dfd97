/** Holdover's context engine: what stays in an agent's window, and how everything else is got back. */
export {
  type CompactOptions,
  type Context,
  type ContextOptions,
  createContext,
  type ForecastOptions,
  type Gauge,
  type PrepareOptions,
} from './context.ts';
export { classic } from './core/policies/classic.ts';
export { economic, type EconomicOptions, economicPolicy, type EconomicPoint } from './core/policies/economic.ts';
export { constantsOf, type Policy } from './core/policy.ts';
export { arrival, type ArrivalOptions, type CallRule, DEFAULT_ARRIVAL } from './core/layers/arrival.ts';
export { budget, type BudgetOptions, DEFAULT_BUDGET } from './core/layers/budget.ts';
export { DEFAULT_MICRO, micro, type MicroOptions } from './core/layers/micro.ts';
export { DEFAULT_SNIP, snip, type SnipOptions, type SnipRequest } from './core/layers/snip.ts';
export { previewOf, type Preview, type PreviewKind, type PreviewOptions } from './core/previews/preview.ts';
export type { Language } from './core/previews/languages.ts';
export { type SyntaxNode, type SyntaxParser, treeSitterSkeleton } from './skeletons/tree-sitter.ts';
export type { OutlineItem, Skeleton } from './core/previews/skeleton.ts';
export type { NamedCall } from './core/calls.ts';
export type { Layer, LayerInput, Proposal } from './core/layers/layer.ts';
export type { SummaryRule, SummarySpan, SummaryTrigger } from './core/layers/summary.ts';

export {
  type Address,
  type Archive,
  contentAddress,
  isContentAddress,
  type StoredText,
  type TextAbout,
} from './core/archive.ts';
export type { Codec, DecodedReply, Head, HeadPart, Patch, Stop, Usage, WirePiece } from './core/codec.ts';
export { wasCutByCap } from './core/output-cap.ts';
export type { Decoded, Entry, Origin, Part, Wire } from './core/entry.ts';
export type { Writer, WriterReply, WriterRequest } from './core/summary/writer.ts';
export type { StateItem } from './core/summary/state.ts';
export type { BeforeSummaryPort, StatePort, SummaryOpinion, SummaryPlans } from './hub/ask-host.ts';
export type { Fact, FilePart, Lens, LensResult, LineRange, Outcome, Prints } from './core/lens.ts';
export { defaultLens } from './core/lenses/default.ts';
export { claudeCode as claudeCodeLens } from './core/lenses/claude-code.ts';
export { generic as genericLens } from './core/lenses/generic.ts';
export { ours as holdoverLens } from './core/lenses/ours.ts';
export { pi as piLens } from './core/lenses/pi.ts';
export type { CallRecord, FileRecord, Operation, RepeatRecord } from './core/facts/call-record.ts';
export type { FactIndex } from './core/facts/fact-index.ts';
export { factsOf } from './core/facts/facts-of.ts';
export type { Superseded, SupersededHow } from './core/facts/superseding.ts';

export { ContextError, type ContextErrorCode } from './core/errors.ts';
export type { ContextEvent, ContextEventType } from './core/events.ts';
export { RECEIPT_SCHEMA, type Receipt, type ReceiptTokens, type SummaryReceipt } from './core/receipt.ts';
export type {
  Edit,
  Epoch,
  Group,
  NoteEdit,
  PartEdit,
  Piece,
  Pin,
  Pinning,
  RangeEdit,
  Revocation,
  Rewind,
  Unpinning,
} from './core/edit.ts';
export type { Snapshot, StoredGroup } from './core/snapshot.ts';
export type { View, ViewEntry } from './core/view.ts';
export type { Recalled, RecallHit, SearchFilters } from './core/recalled.ts';
export {
  recallTool,
  type RecallAnswer,
  type RecallPort,
  type RecallTool,
  type RecallToolOptions,
} from './core/recall-tool.ts';
export type { Turn } from './hub/turn.ts';
export type { Breakdown } from './hub/breakdown.ts';
export type { EpochDiff } from './hub/diff.ts';
export type { Forecast, ForecastMoney, ForecastSummary } from './hub/forecast.ts';
export type { Change, ChangeTexts } from './core/changes.ts';
export type { BreakdownCategory, BreakdownItem } from './core/breakdown.ts';

export { type Redacted, redactSecrets } from './providers/redact.ts';
export { type RedactedMessage, redactMessage } from './providers/redact-message.ts';
export { codePointTokens, estimateTokens } from './core/estimate.ts';
export { guardedCounter } from './encoders/guard.ts';
export type { ErrorReader, ProviderError, ReplyFacts } from './core/provider-error.ts';
export { classifyError, isSilentOverflow } from './providers/overflow.ts';
export { type BreakEven, breakEven, type EpochSize } from './core/break-even.ts';
export { type CacheCliff, type CachePrices, cliffTimes, UNKNOWN_PRICES } from './core/prices.ts';
export {
  cachePricesOf,
  type Cost,
  costOf,
  type FactOverrides,
  knownModels,
  type ModelFacts,
  modelFacts,
  type ModelPrice,
  type ModelVendor,
  type PriceCliff,
  type ReasoningBinding,
  type ThinkingKind,
  vendorOfModel,
} from './providers/model-facts.ts';
export { CLASSIC_WINDOW, CLAUDE_CODE_WINDOW, type Window, windowOf, type WindowRule } from './core/window.ts';
