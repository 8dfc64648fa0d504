/** Which usual mistake a wrong signature shows: every combination of a few is tried, the fewest mistakes win. Pure. */
import { createHmac } from 'node:crypto'

/** How a mistake is called in JSON, and what is wrong and right about it. */
export const mistakes = {
  seconds: 'the timestamp was signed in seconds; it must be in milliseconds, as in the header',
  'given-seconds': 'the timestamp is in seconds; the header and the signed text must have milliseconds',
  'trailing-newline': 'the body was signed with a line end behind it that is not sent (echo adds one; use printf)',
  'missing-newline': 'the body was signed without the line end that it is sent with',
  crlf: 'the body was signed with Windows line ends (CRLF), and is sent with others',
  lf: 'the body was signed with LF line ends, and is sent with CRLF',
  reserialised: 'the JSON was made again for signing: sign the very bytes that are sent',
  'some-body': 'there is no body, but something was signed for it ({}, null); the text ends with the dot',
  'no-body': 'the body was left out of the signed text',
  'no-timestamp': 'the timestamp and the dot were left out of the signed text',
  'no-dot': 'the dot between timestamp and body is missing from the signed text',
  'other-separator': 'something else than a dot stands between timestamp and body',
  'untrimmed-secret': 'the secret has a blank or a line end at its beginning or end, as a file read whole has',
  'decoded-secret': 'the secret was decoded (hex or base64) before use; it is used as the text that it is',
  base64: 'the signature is in base64; it must be in hexadecimal',
  'upper-case': 'the signature is in upper case; svc sends lower case',
} as const

export type Mistake = keyof typeof mistakes

export type Found =
  | { readonly verdict: 'right' | 'none'; readonly mistakes: readonly [] }
  | { readonly verdict: 'mistake'; readonly mistakes: readonly Mistake[] }

type Variant<T> = readonly [made: Mistake | undefined, value: T]

/** @param timestamp in milliseconds, as it stands in the header. */
export function findMistakes(secret: string, timestamp: number, body: Buffer, given: string): Found {
  const wanted = given.trim().replace(/^sha256=/i, '')
  let best: readonly Mistake[] | undefined
  const secrets = secretsOf(secret)
  for (const [first, time] of timesOf(timestamp)) {
    for (const [second, bytes] of bodiesOf(body)) {
      for (const [third, signed] of joinsOf(time, bytes)) {
        for (const [fourth, key] of secrets) {
          const made = [first, second, third, fourth].filter((mistake) => mistake !== undefined)
          // More at once are rare, and would be many to try.
          if (made.length > 2) continue
          const digest = createHmac('sha256', key).update(signed).digest()
          const fifth = encodingOf(digest, wanted)
          if (fifth === 'other') continue
          if (fifth !== undefined) made.push(fifth)
          if (best === undefined || made.length < best.length) best = made
        }
      }
    }
  }
  if (best === undefined) return { verdict: 'none', mistakes: [] }
  return best.length === 0 ? { verdict: 'right', mistakes: [] } : { verdict: 'mistake', mistakes: best }
}

function timesOf(timestamp: number): Variant<string>[] {
  // Ten digits are a moment of this century in seconds, and of 1970 in milliseconds.
  if (timestamp < 100_000_000_000) {
    return [
      ['given-seconds', String(timestamp)],
      ['given-seconds', String(timestamp * 1000)],
    ]
  }
  return [
    [undefined, String(timestamp)],
    ['seconds', String(Math.floor(timestamp / 1000))],
    ['seconds', (timestamp / 1000).toFixed(3)],
  ]
}

function bodiesOf(body: Buffer): Variant<Buffer>[] {
  const variants: Variant<Buffer>[] = [[undefined, body]]
  const add = (mistake: Mistake, text: string): void => {
    const bytes = Buffer.from(text)
    if (!variants.some(([, other]) => other.equals(bytes))) variants.push([mistake, bytes])
  }
  if (body.length === 0) {
    for (const end of ['\n', '\r\n']) add('trailing-newline', end)
    for (const something of ['{}', 'null', 'undefined', '""']) add('some-body', something)
    return variants
  }
  const text = body.toString('utf8')
  add('trailing-newline', `${text}\n`)
  add('trailing-newline', `${text}\r\n`)
  add('missing-newline', text.replace(/\r?\n$/, ''))
  add('crlf', text.replaceAll(/\r?\n/g, '\r\n'))
  add('lf', text.replaceAll('\r\n', '\n'))
  for (const again of serialisations(text)) add('reserialised', again)
  add('no-body', '')
  add('no-body', '{}')
  return variants
}

/** The same JSON as other programs write it. */
function serialisations(text: string): string[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return []
  }
  const forms = [value, sorted(value)].flatMap((each) => [
    JSON.stringify(each),
    withBlanks(each),
    JSON.stringify(each, undefined, 2),
    JSON.stringify(each, undefined, 4),
    JSON.stringify(each, undefined, '\t'),
  ])
  // Python escapes what is not ASCII, PHP the slashes too.
  const ascii = (form: string): string =>
    form.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const all = [...forms, ...forms.map(ascii), ...forms.map((form) => ascii(form).replaceAll('/', '\\/'))]
  return all.flatMap((form) => [form, `${form}\n`])
}

/** As Python writes it: a blank behind every comma and colon. */
function withBlanks(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(withBlanks).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, each]) => `${JSON.stringify(key)}: ${withBlanks(each)}`)
    .join(', ')}}`
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, each]): [string, unknown] => [key, sorted(each)])
  return Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1)))
}

function joinsOf(time: string, body: Buffer): Variant<Buffer>[] {
  const join = (separator: string): Buffer => Buffer.concat([Buffer.from(`${time}${separator}`), body])
  return [
    [undefined, join('.')],
    ['no-dot', join('')],
    ['no-timestamp', body],
    ...['\n', ':', '|', ' '].map((separator): Variant<Buffer> => ['other-separator', join(separator)]),
  ]
}

function secretsOf(secret: string): Variant<string | Buffer>[] {
  const variants: Variant<string | Buffer>[] = [[undefined, secret]]
  for (const end of ['\n', '\r\n', ' ', '\r', '\t']) variants.push(['untrimmed-secret', `${secret}${end}`])
  variants.push(['untrimmed-secret', ` ${secret}`])
  if (/^(?:[0-9a-fA-F]{2})+$/.test(secret)) variants.push(['decoded-secret', Buffer.from(secret, 'hex')])
  if (/^[A-Za-z0-9+/_-]+=*$/.test(secret)) variants.push(['decoded-secret', Buffer.from(secret, 'base64')])
  return variants
}

function encodingOf(digest: Buffer, wanted: string): Mistake | 'other' | undefined {
  const hex = digest.toString('hex')
  if (wanted === hex) return undefined
  if (wanted.toLowerCase() === hex) return 'upper-case'
  const encodings = [digest.toString('base64'), digest.toString('base64url'), Buffer.from(hex).toString('base64')]
  return encodings.some((each) => each.replace(/=+$/, '') === wanted.replace(/=+$/, '')) ? 'base64' : 'other'
}

/** The verdict in words. */
export function explanations({ verdict, mistakes: made }: Found): string {
  switch (verdict) {
    case 'right':
      return 'The signature is right.\n'
    case 'none':
      return `The signature is wrong, and shows none of the usual mistakes. Check that the
secret, the timestamp and the body here are the ones that it was made with.\n`
    case 'mistake':
      return `The signature is wrong:\n${made.map((mistake) => `  ${mistakes[mistake]}\n`).join('')}`
  }
}
