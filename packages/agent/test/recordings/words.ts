/** Words of the worlds that sessions are recorded in: what things are called, and what people and programs say about them. */
import type { Random } from '../soak/random.ts';

/** What a project is about. */
export interface Domain {
  readonly name: string;
  readonly nouns: readonly string[];
  readonly verbs: readonly string[];
}

const list = (words: string): readonly string[] => words.split(' ');

export const DOMAINS = {
  shop: {
    name: 'shop',
    nouns: list(
      'order invoice payment cart refund shipment coupon customer warehouse parcel catalogue product price discount stock supplier receipt address basket voucher carrier return',
    ),
    verbs: list(
      'charge refund reserve ship price quote restock cancel confirm merge split allocate settle notify validate apply',
    ),
  },
  fleet: {
    name: 'fleet',
    nouns: list(
      'sensor reading gateway firmware alert device battery channel packet route vehicle driver trip geofence payload sample window threshold calibration antenna probe battery',
    ),
    verbs: list(
      'poll decode sample calibrate route flush upload throttle debounce aggregate dispatch register retire probe smooth align',
    ),
  },
  bank: {
    name: 'bank',
    nouns: list(
      'account transfer balance statement mandate card holder branch ledger entry rate fee limit currency batch posting journal clearing collateral loan',
    ),
    verbs: list(
      'post reverse accrue clear settle reconcile convert freeze release audit transfer match net book close open',
    ),
  },
  clinic: {
    name: 'clinic',
    nouns: list(
      'patient visit referral dose ward schedule practitioner record consent specimen result triage bed admission diagnosis chart allergy protocol slot invoice',
    ),
    verbs: list(
      'admit discharge schedule triage refer prescribe record review assign transfer sign anonymise archive remind book confirm',
    ),
  },
  media: {
    name: 'media',
    nouns: list(
      'track playlist album stream segment manifest codec bitrate chapter caption thumbnail rendition queue session listener royalty licence chunk preview upload',
    ),
    verbs: list(
      'transcode stream queue segment caption publish retract preview normalise mux buffer seek index fingerprint license shuffle',
    ),
  },
  compiler: {
    name: 'compiler',
    nouns: list(
      'token node scope symbol module binding operand register block branch constant literal pattern macro span diagnostic type instance closure label',
    ),
    verbs: list(
      'parse resolve lower inline fold hoist emit bind unify match expand visit rewrite allocate prune canonicalise',
    ),
  },
} as const satisfies Record<string, Domain>;

export type DomainName = keyof typeof DOMAINS;

const QUALIFIERS = list(
  'pending stale active nested partial default external primary remaining expired cached duplicate remote local failed previous next outer inner shared',
);
const CARRIERS = list(
  'index cache queue store registry policy builder reader writer plan batch group state context handler',
);

/** The words of a name that no other has in this project. */
export type NameSource = () => readonly string[];

export function namesOf(random: Random, { nouns, verbs }: Domain): { verb: NameSource; noun: NameSource } {
  const taken = new Set<string>();
  const fresh = (make: () => readonly string[]): readonly string[] => {
    for (let attempt = 0; ; attempt += 1) {
      const words = attempt < 50 ? make() : [...make(), random.pick(nouns)];
      const key = words.join(' ');
      if (taken.has(key)) continue;
      taken.add(key);
      return words;
    }
  };
  return {
    verb: () =>
      fresh(() => [
        random.pick(verbs),
        ...(random.chance(0.5) ? [random.pick(QUALIFIERS)] : []),
        random.pick(nouns),
        ...(random.chance(0.25) ? [random.pick(CARRIERS)] : []),
      ]),
    noun: () => fresh(() => [random.pick(nouns), random.pick(CARRIERS)]),
  };
}

export const camel = (words: readonly string[]): string =>
  words.map((word, index) => (index === 0 ? word : capital(word))).join('');
export const pascal = (words: readonly string[]): string => words.map(capital).join('');
export const snake = (words: readonly string[]): string => words.join('_');
export const kebab = (words: readonly string[]): string => words.join('-');

export function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

type Fill = (kind: string) => string;

const SENTENCES: readonly ((fill: Fill) => string)[] = [
  (f) =>
    `The ${f('noun')} is ${f('done')} before the ${f('noun')} is ${f('done')}, so a ${f('adjective')} ${f('noun')} can never be seen twice.`,
  (f) =>
    `A ${f('adjective')} ${f('noun')} keeps its ${f('noun')} for ${f('number')} ${f('unit')}; after that it counts as ${f('adjective')}.`,
  (f) => `Callers must not ${f('verb')} a ${f('noun')} while the ${f('noun')} is ${f('adjective')}.`,
  (f) => `Where the ${f('noun')} has no ${f('noun')}, the ${f('adjective')} one is used and a warning is written.`,
  (f) => `We ${f('verb')} in batches of ${f('number')}, because a single ${f('noun')} costs about ${f('number')} ms.`,
  (f) => `If ${f('number')} attempts fail, the ${f('noun')} is marked ${f('adjective')} and left for the nightly job.`,
  (f) => `Nobody should have to know that the ${f('noun')} and the ${f('noun')} share one ${f('noun')}.`,
  (f) => `It took ${f('number')} ${f('unit')} to find out that the ${f('noun')} was ${f('adjective')} all along.`,
  (f) => `The ${f('adjective')} path does not ${f('verb')} anything; it only tells the ${f('noun')} to.`,
  (f) => `Each ${f('noun')} belongs to exactly one ${f('noun')}, and a ${f('noun')} may have none.`,
  (f) => `Retries wait ${f('number')} ${f('unit')} and give up after the ${f('noun')} was ${f('done')} elsewhere.`,
  (f) =>
    `To ${f('verb')} a ${f('noun')} by hand, stop the worker first and check that the ${f('noun')} is ${f('adjective')}.`,
  (f) => `There are ${f('number')} of them at most; more would not fit into one ${f('noun')}.`,
  (f) => `This was ${f('adjective')} in the old version, where every ${f('noun')} had its own ${f('noun')}.`,
];

const UNITS = list('seconds minutes hours days rows requests megabytes retries');

function past(verb: string): string {
  if (verb.endsWith('e')) return `${verb}d`;
  return /[aeiou][^aeiouwxy]$/.test(verb) && verb.length < 5 ? `${verb}${verb.slice(-1)}ed` : `${verb}ed`;
}

/** Prose about a domain. */
export function sentences(random: Random, { nouns, verbs }: Domain, count: number): string {
  const fill: Fill = (kind) => {
    if (kind === 'noun') return random.pick(nouns);
    if (kind === 'verb') return random.pick(verbs);
    if (kind === 'done') return past(random.pick(verbs));
    if (kind === 'adjective') return random.pick(QUALIFIERS);
    return kind === 'number' ? String(random.int(2, 900)) : random.pick(UNITS);
  };
  return Array.from({ length: count }, () => random.pick(SENTENCES)(fill)).join(' ');
}

export function hex(random: Random, length: number): string {
  return Array.from({ length }, () => random.int(0, 15).toString(16)).join('');
}

export function uuid(random: Random): string {
  return [8, 4, 4, 4, 12].map((length) => hex(random, length)).join('-');
}

export function ipAddress(random: Random): string {
  return `10.${random.int(0, 63)}.${random.int(0, 255)}.${random.int(1, 254)}`;
}

/** `2026-03-02T09:14:05.120Z` */
export function iso(ms: number): string {
  return new Date(ms).toISOString();
}
