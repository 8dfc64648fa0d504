/** What `svc sign` prints: headers, the signed text, a curl command, or a verdict. Sends nothing. */
import { parseChoice, httpMethods } from '../../values.ts'
import { exit, usageError } from '../../errors.ts'
import { authenticationHeaders, signature, signedText } from '../../http/sign.ts'
import { limits } from '../../api/limits.ts'
import { record, type Text } from '../../output/result.ts'
import type { Profile } from '../../config/profile.ts'
import { shortestSecret } from '../../config/credentials.ts'
import { grouped, shellWord } from '../../words.ts'
import type { Context } from '../../cli/verb.ts'
import { readSource } from '../source.ts'
import { explanation, findMistakes } from './mistakes.ts'
import type { Signed } from '../../resources/documents.ts'

export interface SignOptions {
  readonly method?: string | undefined
  readonly path?: string | undefined
  readonly body?: string
  readonly bodyFile?: string
  readonly timestamp?: number
  readonly explain?: true
  readonly curl?: true
  readonly verify?: string
}

/** Throws exit 2 for options that do not fit together, exit 4 without credentials. */
export async function signing(context: Context, options: SignOptions): Promise<Text<Signed>> {
  checkModes(options)
  const { path, bodyFile, verify } = options
  const method = checkRequestLine(options)
  const body =
    bodyFile === undefined
      ? Buffer.from(options.body ?? '')
      : await readSource(context.host, bodyFile, { option: '--body-file', what: 'the body' })
  const profile = (await context.configuration()).profile()
  // What is signed is the body alone: a signature can be sent to any path.
  if (body.length > 0) await context.permit({ ids: 0 })
  const secret = await readSecret(context, profile)
  const now = context.host.now()
  const timestamp = options.timestamp ?? Math.round(now)
  const bytes = signedText(timestamp, body)
  const headers = {
    [authenticationHeaders.key]: profile.apiKey,
    [authenticationHeaders.timestamp]: String(timestamp),
    [authenticationHeaders.signature]: signature(secret, timestamp, body),
  }
  const signed: Signed = {
    method: method ?? null,
    path: path ?? null,
    timestamp,
    headers,
    signedText: textOf(bytes) ?? null,
    signedBytes: bytes.length,
  }
  const shown = (words: string, more: Partial<Signed> = {}, exitCode: number = exit.done): Text<Signed> => {
    return { kind: 'text', text: words, exitCode, data: () => record({ ...signed, ...more }, { exitCode }) }
  }
  if (verify !== undefined) {
    const verified = findMistakes({ secret, apiKey: profile.apiKey, timestamp, body, method, path }, verify)
    // A person who verifies has a signature already; a correct one from us would hide what is wrong with it.
    return shown(
      explanation(verified),
      { verified: { ...verified, mistakes: [...verified.mistakes] } },
      verified.verdict === 'right' ? exit.done : exit.rejected,
    )
  }
  if (Math.abs(timestamp - now) > limits.timestampWindow)
    context.note('this timestamp is more than 5 minutes from now: the service refuses it')
  if (options.curl === true) {
    const request = `${method ?? 'GET'} ${shellWord(`${profile.baseUrl}${path ?? ''}`)}`
    const curl = curlCommand(request, headers, body, bodyFile)
    return shown(`${curl}\n`, { curl })
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`)
  return shown(options.explain === true ? explain(bytes, lines) : lines.join(''))
}

/** One that the environment names for this call may be short: others' examples have such, and nothing shows it. */
async function readSecret(context: Context, profile: Profile): Promise<string> {
  if (profile.name !== undefined) return profile.secret()
  const secret = await profile.secret(1)
  if (Array.from(secret).length < shortestSecret) {
    context.warn(`this secret has fewer than ${shortestSecret} characters; every other command refuses it`)
  }
  return secret
}

function checkModes({ body, bodyFile, timestamp, explain: explains, curl, verify }: SignOptions): void {
  const exclusive = [
    [explains && '--explain', curl && '--curl', verify !== undefined && '--verify'],
    [body !== undefined && '--body', bodyFile !== undefined && '--body-file'],
  ]
  for (const options of exclusive) {
    const given = options.filter((option) => typeof option === 'string')
    if (given.length > 1) throw usageError(`${given.join(' and ')} exclude each other`)
  }
  if (verify !== undefined && timestamp === undefined) {
    throw usageError('--verify needs the --timestamp that the signature was made with')
  }
}

/** Returns the method. */
function checkRequestLine({ method, path, curl }: SignOptions): string | undefined {
  if (path === undefined) {
    if (method !== undefined) throw usageError('a method needs a path as well', 'svc sign POST /v1/lists')
    if (curl === true) throw usageError('--curl needs a method and a path', 'svc sign POST /v1/lists --curl')
  } else if (!/^\/v1\/[\x21-\x7e]*$/.test(path)) {
    throw usageError(`"${path}" is not below /v1/`, 'for example /v1/lists')
  }
  return method === undefined ? undefined : parseChoice(method.toUpperCase(), 'the method', httpMethods)
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function explain(bytes: Buffer, lines: readonly string[]): string {
  // What is not printable is shown by its code, so that a stray character can be seen.
  const signed = textOf(bytes)?.replaceAll('\r', String.raw`\u{d}`)
  return `The text that is signed, ${grouped(bytes.length)} bytes, with${bytes.at(-1) === 0x0a ? '' : 'out'} a trailing newline:

${signed ?? `(not UTF-8; in hexadecimal)\n${bytes.toString('hex')}`}

HMAC-SHA256 of it with the API secret, in hexadecimal, is the signature:

${lines.join('')}`
}

/** A command for a POSIX shell. The secret is no part of it. */
function curlCommand(request: string, headers: Record<string, string>, body: Buffer, bodyFile: string | undefined) {
  const words = Object.entries(headers).map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`)
  if (body.length > 0) {
    const isNamed = bodyFile !== undefined && bodyFile !== '-'
    words.push("-H 'Content-Type: application/json'")
    words.push(isNamed ? `--data-binary ${shellWord(`@${bodyFile}`)}` : `--data-raw ${inline(body)}`)
  }
  return [`curl -sS -X ${request}`, ...words].join(' \\\n  ')
}

function inline(body: Buffer): string {
  const value = textOf(body)
  if (value === undefined || /[^\P{C}\n\t]/u.test(value)) {
    throw usageError('this body cannot be part of a command line', 'write it to a file: --body-file <path>')
  }
  return shellWord(value)
}
