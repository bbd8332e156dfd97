/** For tests of code that uses the engine, and of adapters to it. */
export { archiveConformance, type ArchiveConformanceOptions, type ConformanceCase } from './archive-conformance.ts';
export {
  anthropicBuilder,
  type CallSpec,
  openaiChatBuilder,
  type ReplySpec,
  type ResultSpec,
  type WireBuilder,
  wireBuilders,
} from './wire-builder.ts';
export { anthropicKinds, openaiChatKinds, type WireKinds } from './wire-kinds.ts';
export { codecConformance, type CodecConformanceOptions, type RecordedReply } from './codec-conformance.ts';
export { writerConformance, type WriterConformanceOptions } from './writer-conformance.ts';
