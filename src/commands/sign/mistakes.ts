/** Which usual mistakes a wrong signature shows: each of a table is tried, then each pair. Pure. */
import { createHmac } from 'node:crypto'

/** What a signature is made of. */
interface Signing {
  readonly time: string
  /** The signed text before the body. */
  readonly before: (time: string) => string
  readonly body: string | Buffer
  readonly secret: string
  readonly algorithm: string
  readonly encode: (digest: Buffer) => string
}

export interface SignedRequest {
  readonly secret: string
  readonly apiKey: string
  /** In milliseconds, as the header has it. */
  readonly timestamp: number
  readonly body: Buffer
  readonly method?: string | undefined
  readonly path?: string | undefined
}

interface Kind {
  readonly words: string
  /** The ways in which it is made. */
  readonly make: (right: Signing, request: SignedRequest) => readonly Partial<Signing>[]
}

const separators = ['', ':', '|', '\n', ' ']

/** The mistakes by their names in JSON, and what is wrong and right about each. */
const kinds: Readonly<Record<string, Kind>> = {
  seconds: {
    words: 'the timestamp is in seconds; it must be in milliseconds, in the header and in the signed text',
    make: ({ time }) => [{ time: String(Math.floor(Number(time) / 1000)) }, { time: (Number(time) / 1000).toFixed(3) }],
  },
  separator: {
    words: 'the signed text is not the timestamp, a dot and the body: the dot or the timestamp is missing or replaced',
    make: () => [...separators.map((each) => ({ before: (time: string) => time + each })), { before: () => '' }],
  },
  'method-and-path': {
    words: 'the method or the path was signed too; the signed text is the timestamp, a dot and the body',
    make: (_, { method = 'GET', path }) => (path === undefined ? [] : withRequestLine(method, path)),
  },
  'trailing-newline': {
    words:
      'the body was signed with a trailing newline that is not sent, or without one that is (echo adds one; use printf)',
    make: ({ body }) => [`${text(body)}\n`, `${text(body)}\r\n`, text(body).replace(/\r?\n$/, '')].map(withBody),
  },
  crlf: {
    words: 'the body was signed with other line ends (CRLF or LF) than it is sent with',
    make: ({ body }) => ['\r\n', '\n'].map((end) => withBody(text(body).replaceAll(/\r?\n/g, end))),
  },
  reserialized: {
    words: 'the body was serialized again for signing, or left out: sign the very bytes that are sent',
    make: ({ body }) => [...serializations(text(body)), '', '{}', 'null'].map(withBody),
  },
  'untrimmed-secret': {
    words: 'the secret has a space or a newline at its beginning or end, as one read from a file often has',
    make: ({ secret }) =>
      ['\n', '\r\n', ' ', '\t'].flatMap((end) => [{ secret: secret + end }, { secret: end + secret }]),
  },
  'key-as-secret': {
    words: 'it was made with the API key; sign with the API secret',
    make: (_, { apiKey }) => [{ secret: apiKey }],
  },
  algorithm: {
    words: 'it was made with another hash function, such as SHA-512; the signature is an HMAC-SHA256',
    make: () => ['sha512', 'sha384', 'sha1'].map((algorithm) => ({ algorithm })),
  },
  base64: {
    words: 'the signature is in base64 or in upper case; it must be in lower-case hexadecimal',
    make: () => [
      { encode: (digest) => digest.toString('base64').replace(/=+$/, '') },
      { encode: (digest) => digest.toString('base64url') },
      { encode: (digest) => digest.toString('hex').toUpperCase() },
    ],
  },
}

export interface Found {
  readonly verdict: 'right' | 'mistake' | 'none'
  /** Their names. */
  readonly mistakes: readonly string[]
}

const text = (body: string | Buffer): string => body.toString()
const withBody = (body: string): Partial<Signing> => ({ body })

function withRequestLine(method: string, path: string): Partial<Signing>[] {
  const lines = [method, method.toLowerCase()].flatMap((word) => [[word, path], [`${word} ${path}`]])
  return [...lines, [path]].flatMap((line) =>
    ['.', ...separators].flatMap((separator) => [
      { before: (time: string) => [time, ...line, ''].join(separator) },
      { before: (time: string) => [...line, time, ''].join(separator) },
    ]),
  )
}

/** The same JSON as other programs write it: compact, with blanks as Python does, indented; with its keys in order. */
function serializations(json: string): string[] {
  const keys: string[] = []
  let value: unknown
  try {
    value = JSON.parse(json, (key, each: unknown) => {
      keys.push(key)
      return each
    })
  } catch {
    return []
  }
  const forms = [null, keys.sort()].flatMap((order) => {
    const [compact = '', lines = '', ...indented] = [0, 1, 2, 4].map((indent) => JSON.stringify(value, order, indent))
    return [compact, lines.replaceAll(/,\n */g, ', ').replaceAll(/\n */g, ''), ...indented]
  })
  const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return [...forms, ...forms.map((form) => form.replaceAll(/[\u0080-\uffff]/g, escaped))]
}

function signatureOf({ time, before, body, secret, algorithm, encode }: Signing): string {
  return encode(createHmac(algorithm, secret).update(before(time)).update(body).digest())
}

/** The fewest mistakes, two at most, that lead to the signature `given`. */
export function findMistakes(request: SignedRequest, given: string): Found {
  const wanted = given
    .trim()
    .replace(/^sha\d+=/i, '')
    .replace(/=+$/, '')
  // Ten digits are a moment of this century in seconds, and of 1970 in milliseconds.
  const inSeconds = request.timestamp < 100_000_000_000
  const right: Signing = {
    time: String(inSeconds ? request.timestamp * 1000 : request.timestamp),
    before: (time) => `${time}.`,
    body: request.body,
    secret: request.secret,
    algorithm: 'sha256',
    encode: (digest) => digest.toString('hex'),
  }
  const names = Object.keys(kinds)
  const pairs = names.flatMap((name, at) => names.slice(at + 1).map((other) => [name, other]))
  const mistaken = (name: string, signing: Signing): Signing[] =>
    (kinds[name]?.make(signing, request) ?? []).map((changed) => ({ ...signing, ...changed }))
  const made = [[], ...names.map((name) => [name]), ...pairs].find((mistakes) =>
    mistakes
      .reduce<readonly Signing[]>((all, name) => all.flatMap((each) => mistaken(name, each)), [right])
      .some((signing) => signatureOf(signing) === wanted),
  )
  if (made === undefined) return { verdict: 'none', mistakes: [] }
  const mistakes = inSeconds ? [...new Set(['seconds', ...made])] : made
  return { verdict: mistakes.length === 0 ? 'right' : 'mistake', mistakes }
}

/** The verdict in words. */
export function explanation({ verdict, mistakes }: Found): string {
  switch (verdict) {
    case 'right':
      return 'The signature is right.\n'
    case 'none':
      return `The signature is wrong, and shows none of the usual mistakes. Check that the
secret, the timestamp and the body here are the ones that it was made with. With
the method and the path here too, svc sees whether they were signed.\n`
    case 'mistake':
      return `The signature is wrong:\n${mistakes.map((name) => `  ${kinds[name]?.words ?? ''}\n`).join('')}`
  }
}
