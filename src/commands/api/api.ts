import { say, svc } from '../../message.ts'
import { defineCommand, schemaOf } from '../../cli/command.ts'
import { httpMethods, parseChoice } from '../../values.ts'
import { SvcError, usageError } from '../../errors.ts'
import type { RawAnswer } from '../../api/call.ts'
import { ExactJson } from '../../output/json.ts'
import { document, noView, text, type Output, type View } from '../../output/result.ts'
import type { Context } from '../../cli/context.ts'
import { allPages } from './pages.ts'
import { readBody, requestPath } from './request.ts'

const bodyView: View<never> = {
  ...noView,
  formats: ['json', 'ndjson'],
  defaultFormat: 'json',
  schema: schemaOf('Anything'),
}

const nothing = Buffer.alloc(0)

async function show(
  answer: RawAnswer,
  asked: { include: boolean; json: boolean },
): Promise<Output<never>> {
  const body = answer.text === '' || answer.text.endsWith('\n') ? answer.text : `${answer.text}\n`
  if (asked.include) return text(headText(answer) + body)
  const json = ExactJson.parse(answer.text)
  if (json !== undefined) return document(json, [])
  // A command line that asks for JSON gets a document all the same: the text as a string, nothing as null.
  return asked.json ? document(answer.text === '' ? null : answer.text, []) : text(body)
}

function headText({ status, headers }: RawAnswer): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`)
  return `HTTP ${status}\n${lines.join('\n')}\n\n`
}

/** Sends the request, a change only when it is allowed; where a change may have been made, says how to look. */
async function send(
  context: Context,
  method: string,
  target: string,
  body: Buffer,
): Promise<RawAnswer> {
  if (method !== 'GET') {
    const { rawChange } = await import('../../plans/permit.ts')
    await context.permit(rawChange(method, target, body))
    await context.confirmProtected(`Send ${method} ${target}`)
  }
  const api = await context.api()
  try {
    return await api.raw(method, target, body)
  } catch (error) {
    if (!(error instanceof SvcError) || error.details.ambiguous !== true) throw error
    throw error.withHint(
      say`svc did not send it again; check what happened before you try again, for example:\n  ${svc`api ${target}`}`,
    )
  }
}

export const api = defineCommand({
  path: 'api',
  summary: 'send any signed request below /v1/',
  description:
    'Send any signed request below /v1/ and print the body of the answer. If the answer is lost, svc repeats a GET and nothing\n' +
    'else.',
  examples: [
    'svc api lists -f name=Spring -f "description=from svc api"',
    'svc api lists --paginate --query limit=50',
    'svc api employees -i',
  ],
  arguments: [
    {
      name: 'path',
      takes: 'path of the API',
      summary: 'below /v1/: lists or /v1/lists',
      isRequired: true,
    },
  ],
  options: {
    method: {
      short: 'X',
      value: 'method',
      summary: httpMethods.join(', '),
      default: 'GET; POST with a field or a body',
      choices: httpMethods,
      parse: (word: string) => parseChoice(word.toUpperCase(), '-X', httpMethods),
    },
    query: { value: 'name=value', takes: 'text', summary: 'a query parameter', isRepeatable: true },
    field: {
      short: 'f',
      value: 'name=value',
      takes: 'text',
      summary: 'a member of the JSON body; a JSON value if it parses',
      isRepeatable: true,
    },
    body: { value: 'text', takes: 'text', summary: 'send this text as the body' },
    bodyFile: {
      value: 'path|-',
      takes: 'file',
      summary: 'send this file as the body, or - for standard input',
    },
    include: { short: 'i', summary: 'print the status and the headers too' },
    paginate: { summary: 'read all pages or chunks (GET only), and print them as one document' },
  },
  effect: 'from method',
  isDestructive: true,
  isIdempotent: false,
  shows: bodyView,
  isOne: (_path, { paginate }) => paginate !== true,
  run: async (context, path, options) => {
    const asked = {
      include: options.include === true,
      json: context.options.json === true || context.options.output !== undefined,
    }
    if (asked.include && asked.json)
      throw usageError('-i has no JSON form: leave out --json and -o')
    const target = requestPath(path, options.query)
    const body = await readBody(context, options)
    const method = options.method ?? (body === undefined ? 'GET' : 'POST')
    if (method !== 'GET' && context.options.out !== undefined)
      throw usageError('--out goes with a GET')
    if (method === 'GET' && body !== undefined) throw usageError('a GET has no body')
    if (options.paginate === true) {
      if (method !== 'GET' || asked.include)
        throw usageError('--paginate reads pages: it takes no body, no other method and no -i')
      return document(
        await allPages(async (next) => (await send(context, method, next, nothing)).text, target),
        [],
      )
    }
    return show(await send(context, method, target, body ?? nothing), asked)
  },
})
