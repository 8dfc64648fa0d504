import type { Command } from '@commander-js/extra-typings'
import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { parseChoice } from '../args.ts'
import { messageOf, SvcError, usageError } from '../errors.ts'
import type { RawAnswer } from '../http/http.ts'
import { document, text, type Output, type View } from '../output/output.ts'
import { shellWord } from '../profiles/shell.ts'
import type { Run, Tools } from '../verb.ts'
import { examples } from './options.ts'

const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const

const bodyView: View<never> = { columns: [], fields: [], formats: ['json', 'ndjson'], defaultFormat: 'json' }

function collect(value: string, before: string[]): string[] {
  return [...before, value]
}

/** `name=value`. */
function parsePair(word: string, option: string): [string, string] {
  const at = word.indexOf('=')
  if (at < 1) throw usageError(`${option} takes name=value, not "${word}"`)
  return [word.slice(0, at), word.slice(at + 1)]
}

/** Any path below /v1/, as it is sent. Throws exit 2. */
export function requestPath(path: string, queries: readonly string[]): string {
  const rule = 'a path begins with /v1/, for example /v1/lists'
  if (!path.startsWith('/v1/')) throw usageError(`"${path}" is not below /v1/`, rule)
  // What is signed is not the path: it must be exactly what was typed, with nothing that a URL parser would walk up.
  if (!/^[\x21-\x7e]+$/.test(path) || /[#\\]/.test(path))
    throw usageError(`"${path}" has characters that a path cannot have`, rule)
  const at = path.indexOf('?')
  const route = at < 0 ? path : path.slice(0, at)
  if (climbs(route)) throw usageError(`"${path}" leaves /v1/`, rule)
  const parameters = new URLSearchParams(queries.map((word) => parsePair(word, '--query'))).toString()
  const query = [at < 0 ? '' : path.slice(at + 1), parameters].filter((part) => part !== '').join('&')
  return query === '' ? route : `${route}?${query}`
}

/** Whether a part of the path is a dot or two, however often it is encoded. Throws exit 2 on a broken encoding. */
function climbs(route: string): boolean {
  let plain = route
  for (;;) {
    if (plain.split(/[/\\]/).some((part) => part === '.' || part === '..')) return true
    const before = plain
    try {
      plain = decodeURIComponent(before)
    } catch {
      // Once decoded, a percent sign is one that was meant.
      if (before !== route) return false
      throw usageError(`"${route}" is not encoded rightly`, 'a percent sign is written %25')
    }
    if (plain === before) return false
  }
}

interface BodyChoice {
  readonly field: readonly string[]
  readonly body?: string
}

/** Undefined when there is none. Throws exit 2. */
async function readBody({ host }: Tools, { field, body }: BodyChoice): Promise<Buffer | undefined> {
  if (body !== undefined && field.length > 0) throw usageError('--body and --field exclude each other')
  if (field.length > 0) return Buffer.from(jsonBody(field.map((word) => parsePair(word, '--field'))))
  if (body === undefined) return undefined
  if (body === '-' && host.isTerminal.stdin)
    throw usageError('--body - reads standard input, which is a terminal', 'pipe the body in')
  try {
    return body === '-' ? await buffer(host.stdin) : await readFile(body)
  } catch (error) {
    throw usageError(`cannot read the body from "${body}": ${messageOf(error)}`)
  }
}

/** Values that parse as JSON go out as they were typed, so that long numbers keep their digits. */
function jsonBody(pairs: readonly [string, string][]): string {
  const names = pairs.map(([name]) => name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw usageError(`--field ${twice} is given twice`)
  return `{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${isJson(value) ? value : JSON.stringify(value)}`).join(',')}}`
}

function isJson(value: string): boolean {
  try {
    JSON.parse(value)
    return true
  } catch {
    return false
  }
}

function shown(answer: RawAnswer, asked: { include: boolean; json: boolean }): Output<never> {
  const body = answer.text === '' || answer.text.endsWith('\n') ? answer.text : `${answer.text}\n`
  if (asked.include) return text(headText(answer) + body)
  if (isJson(answer.text)) return document(JSON.parse(answer.text) as unknown, [])
  // Who asked for JSON gets a document all the same: the text as a string, nothing as null.
  return asked.json ? document(answer.text === '' ? null : answer.text, []) : text(body)
}

function headText({ status, headers }: RawAnswer): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`)
  return `HTTP ${status}\n${lines.join('\n')}\n\n`
}

/** Sends the request; where a change may have been made, says how to look. */
async function send(tools: Tools, method: string, target: string, body: Buffer): Promise<RawAnswer> {
  const http = await tools.http()
  try {
    return await http.raw(method, target, body)
  } catch (error) {
    if (!(error instanceof SvcError) || error.details.ambiguous !== true) throw error
    throw error.withHint(
      `it was not sent again; look before you try again, for example:\n  svc api ${shellWord(target)}`,
    )
  }
}

export function api(program: Command, run: Run): void {
  program
    .command('api')
    .summary('send any signed request below /v1/')
    .description(
      'Send any signed request below /v1/ and print the body of its answer. GET is sent again after a lost answer, everything\n' +
        'else is not.',
    )
    .argument('<path>', 'for example /v1/lists')
    .option('-X, --method <method>', `${methods.join(', ')} (default: GET; POST with a field or a body)`, (word) =>
      parseChoice(word.toUpperCase(), '-X', methods),
    )
    .option('--query <name=value>', 'a query parameter; may be repeated', collect, [] as string[])
    .option(
      '-f, --field <name=value>',
      'a member of the JSON body; a JSON value if it parses; may be repeated',
      collect,
      [] as string[],
    )
    .option('--body <path>', 'send this file as the body, or - for standard input')
    .option('-i, --include', 'print the status and the headers too')
    .addHelpText(
      'after',
      examples(
        'svc api /v1/lists --query limit=2',
        'svc api /v1/lists -f name=Spring -f "description=from svc api"',
        'svc api /v1/employees -i',
      ),
    )
    .action(
      run(bodyView, async (tools, path, options) => {
        const asked = {
          include: options.include === true,
          json: tools.options.json === true || tools.options.output !== undefined,
        }
        if (asked.include && asked.json) throw usageError('-i has no JSON form: leave out --json and -o')
        const target = requestPath(path, options.query)
        const body = await readBody(tools, options)
        const method = options.method ?? (body === undefined ? 'GET' : 'POST')
        if (method === 'GET' && body !== undefined) throw usageError('a GET has no body')
        if (method !== 'GET') await tools.confirmProtected(`Send ${method} ${target}`)
        return shown(await send(tools, method, target, body ?? Buffer.alloc(0)), asked)
      }),
    )
}
