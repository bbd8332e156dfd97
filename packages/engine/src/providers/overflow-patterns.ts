/**
 * What providers write when a request does not fit: one row per wording, as observed up to November 2026 in vendor
 * documentation, server sources and public issue threads. Numbers are read from the named groups `limit`, `requested`,
 * `input` and `output`.
 */

export interface OverflowPattern {
  /** Who writes it; the first where several share a wording. */
  readonly provider: string;
  readonly what: 'input' | 'input-and-output' | 'media';
  readonly pattern: RegExp;
  /** Believed before rate limits are ruled out, for a wording that comes with the code of a rate limit. */
  readonly beforeRates?: true;
}

/** A number, with or without thousands separators. */
const N = "(?:\\d{1,3}(?:[,._' \\u00a0\\u202f]\\d{3})+(?!\\d)|\\d+)";

/** Builds a pattern in which `<limit>`, `<requested>`, `<input>` and `<output>` stand for numbers, `#` for any number. */
function wording(source: string): RegExp {
  return new RegExp(source.replace(/<(\w+)>/g, (_, name: string) => `(?<${name}>${N})`).replaceAll('#', N), 'is');
}

function row(provider: string, what: OverflowPattern['what'], source: string): OverflowPattern {
  return { provider, what, pattern: wording(source) };
}

/** Most specific first: the first row that matches any text of the error decides. */
export const OVERFLOW_PATTERNS: readonly OverflowPattern[] = [
  row('anthropic', 'media', 'too many (?:images|documents|pages|pdf)'),
  row('anthropic', 'media', 'maximum of # (?:pdf )?(?:pages|images|documents)'),
  row('anthropic', 'media', 'image (?:exceeds|dimensions exceed)|image dimensions exceed'),

  row('anthropic', 'input', 'prompt is too long: *<requested> tokens? *> *<limit>'),
  row('anthropic', 'input-and-output', 'exceed context limit: *<input> *\\+ *<output> *> *<limit>'),
  row('claude-gateway', 'input', 'prompt_too_long'),
  row('bedrock', 'input', 'input is too long for requested model'),

  row(
    'openai',
    'input-and-output',
    'maximum context length is <limit> tokens.{0,80}requested <requested> tokens \\(<input> in the (?:messages|prompt)[^)]{0,40}?<output> in the (?:completion|output)',
  ),
  row(
    'openrouter',
    'input-and-output',
    'maximum context length is <limit> tokens.{0,80}requested (?:about )?<requested> tokens',
  ),
  row('openai', 'input', 'maximum context length is <limit> tokens.{0,80}resulted in <requested> tokens'),
  row(
    'vllm',
    'input-and-output',
    "maximum context length is <limit> tokens.{0,80}has <input> input tokens.{0,40}plus <output> '?max_tokens",
  ),
  row(
    'vllm',
    'input-and-output',
    'maximum context length is <limit> tokens.{0,120}requested <output> output tokens.{0,80}contains at least <input> input',
  ),
  row(
    'openai',
    'input',
    'input tokens exceed the configured limit of <limit> tokens(?:.{0,40}resulted in <requested> tokens)?',
  ),
  row('openai-responses', 'input', 'exceeds the context window of this model'),
  row(
    'gemini',
    'input',
    'input token count \\(?<requested>\\)? exceeds the maximum number of tokens allowed \\(?<limit>\\)?',
  ),
  row('groq', 'input-and-output', 'reduce the length of the messages or completion'),
  row('mistral', 'input', 'prompt contains <requested> tokens.{0,80}?model with <limit> maximum context length'),
  row('xai', 'input', 'maximum prompt length is <limit> but the request contains <requested>'),
  { ...row('deepseek-gateway', 'input', 'input tokens? exceeds? the limit'), beforeRates: true },
  row(
    'together',
    'input',
    "input \\(<requested> tokens\\) is longer than the model's context length \\(<limit> tokens\\)",
  ),
  row('dashscope', 'input', 'range of input length should be \\[ *# *, *<limit> *\\]'),
  row('moonshot', 'input', 'exceeded model token limit: *<limit> *(?:\\(requested: *<requested>\\))?'),
  row('minimax', 'input', 'context window exceeds limit'),
  row('copilot', 'input', 'prompt token count of <requested> exceeds the limit of <limit>'),
  row('llama.cpp', 'input', 'request \\(<requested> tokens\\) exceeds the available context size \\(<limit> tokens\\)'),
  row('llama.cpp', 'input', 'exceeds the available context size'),
  row('ollama', 'input', 'exceeded max context length by # tokens'),
  row('ollama', 'input', 'prompt is longer than the context length'),
  row('ollama', 'input', 'input length exceeds the context length'),
  row('vllm', 'input', 'input prompt \\(<requested> tokens\\) is too long and exceeds limit of <limit>'),
  row('vllm', 'input', 'prompt \\(.{0,30}?<requested>\\) is longer than the maximum model length of <limit>'),
  row('vllm', 'input', 'longer than the maximum model length of <limit>'),
  row(
    'sglang',
    'input-and-output',
    "requested token count exceeds the model's maximum context length of <limit> tokens",
  ),
  row('sglang', 'input', "input length \\(<requested>\\) exceeds model's maximum context length \\(<limit>\\)"),
  row('lm-studio', 'input', 'context length of only <limit> tokens'),
  row('lm-studio', 'input', 'tokens to keep from the initial prompt is greater than the context length'),
  row('ds4', 'input', 'prompt has <requested> tokens, but the configured context size is <limit> tokens'),

  row('generic', 'input', 'maximum context length is <limit>'),
  row(
    'generic',
    'input',
    'context[_ ](?:length|window)[_ ]exceeded|exceed(?:s|ed)? (?:the )?(?:maximum |max )?context (?:length|window|size)',
  ),
  row('generic', 'input', 'prompt is too long'),
];
