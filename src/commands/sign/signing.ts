/** What `svc sign` prints: headers, the signed text, a curl command, or a verdict. Sends nothing. */
import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { parseChoice } from '../../values.ts'
import { fileError } from '../../errno.ts'
import { exit, usageError } from '../../errors.ts'
import { authenticationHeaders, signature, signedText } from '../../http/signature.ts'
import { record, text, type Record_, type Text } from '../../output/result.ts'
import type { Profile } from '../../config/profile.ts'
import { shortestSecret } from '../../config/credentials.ts'
import { grouped, shellWord } from '../../words.ts'
import type { Tools } from '../../cli/verb.ts'
import { explanations, findMistakes } from './mistakes.ts'
import type { Signed } from './view.ts'

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

const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const

/** API: Authentication, rule 1. Milliseconds. */
const validity = 5 * 60 * 1000

/** Throws exit 2 for options that do not fit together, exit 4 without credentials. */
export async function signing(tools: Tools, options: SignOptions): Promise<Text | Record_<Signed>> {
  const method = checkOptions(options)
  const body = await readBody(tools, options)
  const profile = (await tools.configuration()).profile()
  const secret = await readSecret(tools, profile)
  const now = tools.host.now()
  const timestamp = options.timestamp ?? Math.round(now)
  const bytes = signedText(timestamp, body)
  const headers = {
    [authenticationHeaders.key]: profile.apiKey,
    [authenticationHeaders.timestamp]: String(timestamp),
    [authenticationHeaders.signature]: signature(secret, timestamp, body),
  }
  const signed: Signed = {
    method: method ?? null,
    path: options.path ?? null,
    timestamp,
    headers,
    signedText: textOf(bytes) ?? null,
    signedBytes: bytes.length,
  }
  const inWords = tools.print.format === 'table' && tools.print.fields === undefined
  if (options.verify !== undefined) {
    const found = findMistakes(secret, timestamp, body, options.verify)
    const code = found.verdict === 'right' ? exit.done : exit.rejected
    // Whoever verifies has a signature already; a right one of ours would only hide what is wrong with theirs.
    return inWords ? text(explanations(found), code) : record({ ...signed, verified: found }, { exitCode: code })
  }
  if (Math.abs(timestamp - now) > validity)
    tools.note('this timestamp is more than 5 minutes from now: the service refuses it')
  if (options.curl === true) {
    const curl = curlCommand(`${profile.baseUrl}${options.path ?? ''}`, method ?? 'GET', headers, body, options)
    return inWords ? text(`${curl}\n`) : record({ ...signed, curl })
  }
  if (!inWords) return record(signed)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return text(options.explain === true ? explain(bytes, lines) : `${lines.join('\n')}\n`)
}

/** One that the environment names for this call may be short: others' examples have such, and nothing shows it. */
async function readSecret(tools: Tools, profile: Profile): Promise<string> {
  if (profile.name !== undefined) return profile.secret()
  const secret = await profile.secret(1)
  if (Array.from(secret).length < shortestSecret) {
    tools.warn(`this secret has fewer than ${shortestSecret} characters; every other command refuses it`)
  }
  return secret
}

/** Returns the method. */
function checkOptions({
  method,
  path,
  body,
  bodyFile,
  timestamp,
  explain,
  curl,
  verify,
}: SignOptions): string | undefined {
  const modes = [explain && '--explain', curl && '--curl', verify !== undefined && '--verify'].filter(
    (mode) => typeof mode === 'string',
  )
  if (modes.length > 1) throw usageError(`${modes.join(' and ')} exclude each other`)
  if (body !== undefined && bodyFile !== undefined) throw usageError('--body and --body-file exclude each other')
  if (method !== undefined && path === undefined)
    throw usageError('a method needs a path too', 'svc sign POST /v1/lists')
  if (path !== undefined && !/^\/v1\/[\x21-\x7e]*$/.test(path))
    throw usageError(`"${path}" is not below /v1/`, 'for example /v1/lists')
  if (curl === true && path === undefined)
    throw usageError('--curl needs a method and a path', 'svc sign POST /v1/lists --curl')
  if (verify !== undefined && timestamp === undefined) {
    throw usageError('--verify needs the --timestamp that the signature was made with')
  }
  return method === undefined ? undefined : parseChoice(method.toUpperCase(), 'the method', methods)
}

async function readBody({ host }: Tools, { body, bodyFile }: SignOptions): Promise<Buffer> {
  if (bodyFile === undefined) return Buffer.from(body ?? '')
  if (bodyFile === '-' && host.isTerminal.stdin) {
    throw usageError('--body-file - reads standard input, which is a terminal', 'pipe the body in')
  }
  try {
    return bodyFile === '-' ? await buffer(host.stdin) : await readFile(bodyFile)
  } catch (error) {
    throw fileError('usage', `cannot read the body from "${bodyFile}"`, error)
  }
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function explain(bytes: Buffer, lines: readonly string[]): string {
  const signed = textOf(bytes)
  const end = bytes.at(-1) === 0x0a ? 'it ends with a line end' : 'without a line end'
  return [
    `The text that is signed, ${grouped(bytes.length)} bytes, ${end}:`,
    '',
    // What is not printable is shown by its code, so that a stray character can be seen.
    signed === undefined
      ? `(not UTF-8; in hexadecimal)\n${bytes.toString('hex')}`
      : signed.replaceAll('\r', String.raw`\u{d}`),
    '',
    'HMAC-SHA256 of it with the API secret, in hexadecimal, is the signature:',
    '',
    ...lines,
    '',
  ].join('\n')
}

/** A command for a POSIX shell. The secret is no part of it. */
function curlCommand(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  { bodyFile }: SignOptions,
): string {
  const words = [
    `curl -sS -X ${method} ${shellWord(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${shellWord(`${name}: ${value}`)}`),
  ]
  if (body.length > 0) {
    words.push("-H 'Content-Type: application/json'")
    words.push(
      bodyFile === undefined || bodyFile === '-'
        ? `--data-raw ${inline(body)}`
        : `--data-binary ${shellWord(`@${bodyFile}`)}`,
    )
  }
  return words.join(' \\\n  ')
}

function inline(body: Buffer): string {
  const value = textOf(body)
  if (value === undefined || /[^\P{C}\n\t]/u.test(value)) {
    throw usageError('this body cannot stand on a command line', 'write it to a file: --body-file <path>')
  }
  return shellWord(value)
}
