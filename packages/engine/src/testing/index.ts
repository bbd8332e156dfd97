/** For tests of code that uses the engine, and of adapters to it. */
export { anthropicBuilder, type CallSpec, openaiChatBuilder, type ReplySpec, type ResultSpec, type WireBuilder, wireBuilders } from './wire-builder.ts';
export { anthropicKinds, openaiChatKinds, type WireKinds } from './wire-kinds.ts';
