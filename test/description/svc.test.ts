/**
 * svc against the hand-written service: every answer that the description allows, in whatever way it leaves open. What is
 * expected is computed from the written answers, by nothing of the program.
 */
import { afterEach, describe, expect, test } from 'vitest'
import { createWorld } from '../svc.ts'
import type { CannedAnswer, Variant } from './case.ts'
import { variants as contactsDelete } from './contacts-delete.ts'
import { variants as contactsMerge } from './contacts-merge.ts'
import { variants as employeesList } from './employees-list.ts'
import { variants as listsAddContacts } from './lists-add-contacts.ts'
import { variants as listsCreate } from './lists-create.ts'
import { variants as listsGet } from './lists-get.ts'
import { variants as listsList } from './lists-list.ts'
import { variants as listsUpdate } from './lists-update.ts'
import { apiKey, apiSecret, startService, type Service } from './service.ts'
import { variants as ticketsAssign } from './tickets-assign.ts'
import { variants as ticketsHistory } from './tickets-history.ts'

const { svc } = createWorld({ SVC_API_KEY: apiKey, SVC_API_SECRET: apiSecret })

let service: Service | undefined
afterEach(() => service?.close())

type Data = Readonly<Record<string, unknown>>
const dataOf = ({ body }: CannedAnswer): Data => (body as { data: Data }).data
const isError = ({ status }: CannedAnswer): boolean => status >= 300
const texts = (value: unknown): string[] => (value as string[]).map((text) => text.toLowerCase())

/** Runs the command against a service that plays the variant; every request must have been signed and written down. */
async function play(line: string, { answers }: Variant) {
  service = await startService(answers)
  const { code, stdout, stderr } = await svc(line, { env: { SVC_BASE_URL: service.baseUrl }, fast: true })
  const { asked } = service
  for (const { signed, answered, method, path } of asked) {
    // To say more of a refusal, svc may look at the employees; before it creates a list, it looks at the newest.
    const isHelp = path === '/v1/employees' || (method === 'GET' && line.startsWith('lists create'))
    expect([path, signed, answered || isHelp]).toEqual([path, true, true])
  }
  await service.close()
  const last = stderr.trimEnd().split('\n').at(-1) ?? ''
  const told = (): Data => {
    const { httpStatus, code: number, message, hint } = (JSON.parse(last) as { error: Data }).error
    return { httpStatus, code: number, message, hasHint: typeof hint === 'string' }
  }
  // A read that fails before its first row leaves its document open.
  const isOpen = ['', '{', '['].includes(stdout.trim())
  return {
    code,
    document: isOpen ? undefined : (JSON.parse(stdout) as unknown),
    error: code === 0 || !isOpen ? undefined : told(),
    asked,
  }
}

const ids = {
  list: '64b000000000000000000001',
  source: '64c00000000000000000000a',
  target: '64c00000000000000000000b',
  third: '64c00000000000000000000c',
  ticket: '64e000000000000000000001',
  assigned: '64e00000000000000000000e',
  assignee: '64a00000000000000000000b',
} as const

interface Operation {
  readonly line: string
  readonly variants: readonly Variant[]
  /** The JSON document for these answers. */
  readonly document: (answers: readonly CannedAnswer[]) => unknown
  /** What must be sent, in JSON; undefined: no body at all. */
  readonly body?: unknown
  readonly method: string
}

const only = (answers: readonly CannedAnswer[]): Data =>
  dataOf(answers[0] ?? { method: 'GET', path: '', status: 0, body: {} })
const missing = '000000000000000000000000'

const operations: Readonly<Record<string, Operation>> = {
  'lists list': {
    line: 'lists list --json',
    method: 'GET',
    variants: listsList,
    // A page that is asked for by its number stands before the others.
    document: (answers) => [...answers].reverse().flatMap((answer) => dataOf(answer)['lists']),
  },
  'lists create': {
    line: 'lists create --name Spring --description Mailing --json',
    method: 'POST',
    variants: listsCreate,
    body: { name: 'Spring', description: 'Mailing' },
    document: only,
  },
  'lists get': {
    line: `lists get ${ids.list} --json`,
    method: 'GET',
    variants: listsGet.filter(({ answers }) => !answers.some(isError)),
    document: (answers) => only(answers)['list'],
  },
  'lists members': {
    line: `lists members ${ids.list} --json`,
    method: 'GET',
    variants: listsGet.filter(({ answers }) => !answers.some(isError)),
    document: (answers) => only(answers)['members'],
  },
  'lists get, unknown': {
    line: `lists get ${missing} --json`,
    method: 'GET',
    variants: listsGet.filter(({ answers }) => answers.some(isError)),
    document: only,
  },
  'lists update': {
    line: `lists update ${ids.list} --name Autumn --json`,
    method: 'PATCH',
    variants: listsUpdate,
    body: { name: 'Autumn' },
    document: only,
  },
  'contacts merge': {
    line: `contacts merge ${ids.source} --into ${ids.target} --yes --json`,
    method: 'POST',
    variants: contactsMerge,
    body: { targetContactId: ids.target },
    document: only,
  },
  'tickets history': {
    line: `tickets history ${ids.ticket} --json`,
    method: 'GET',
    variants: ticketsHistory,
    document: (answers) => {
      const messages = answers.flatMap((answer) => dataOf(answer)['messages'] as { id: string }[])
      // Chunks may overlap.
      const once = messages.filter(({ id }, place) => messages.findIndex((message) => message.id === id) === place)
      return { ticket: only(answers)['ticket'], messages: once }
    },
  },
  'tickets get': {
    line: `tickets get ${ids.ticket} --json`,
    method: 'GET',
    variants: ticketsHistory,
    document: (answers) => only(answers)['ticket'],
  },
  'tickets assign': {
    line: `tickets assign ${ids.assigned} --to ${ids.assignee} --json`,
    method: 'PATCH',
    variants: ticketsAssign,
    body: { newAssigneeId: ids.assignee },
    document: (answers) =>
      dataOf(
        answers.find(({ method }) => method === 'PATCH') ??
          answers[0] ?? { method: 'GET', path: '', status: 0, body: {} },
      ),
  },
  'employees list': {
    line: 'employees list --json',
    method: 'GET',
    variants: employeesList,
    document: only,
  },
}

describe.each(Object.entries(operations))('%s', (_, { line, method, variants, document, body }) => {
  test.each(variants.map((variant) => [variant.name, variant] as const))('%s', async (__, variant) => {
    const refusal = variant.answers.find((answer) => isError(answer) && answer.method === method)
    const { asked, ...result } = await play(line, variant)
    expect(result).toEqual(
      refusal === undefined
        ? { code: 0, document: document(variant.answers), error: undefined }
        : {
            code: refusal.status === 403 ? 5 : 6,
            document: undefined,
            error: { httpStatus: refusal.status, ...(refusal.body as Data), hasHint: true },
          },
    )
    const sent = asked.filter((request) => request.method === method)
    expect(sent.length).toBeGreaterThan(0)
    for (const request of sent) {
      // API: Endpoints, requests with a body use this type; what is signed without one is nothing.
      expect(request.headers['content-type']).toBe(body === undefined ? undefined : 'application/json')
      expect(request.body).toBe(body === undefined ? '' : JSON.stringify(body))
    }
  })
})

describe('lists add-contacts', () => {
  test.each(listsAddContacts.map((variant) => [variant.name, variant] as const))('%s', async (_, variant) => {
    const [answer] = variant.answers
    const { code, document, asked } = await play(
      `lists add-contacts ${ids.list} ${ids.source} ${ids.target} --json`,
      variant,
    )
    expect(asked.map((request) => request.body)).toEqual([JSON.stringify({ contactIds: [ids.source, ids.target] })])
    const refused = answer === undefined || isError(answer)
    const { added, skipped, failed } = refused ? { added: 0, skipped: 0, failed: 0 } : dataOf(answer)
    const exitCode = refused ? 6 : failed === 0 ? 0 : 3
    expect(code).toBe(exitCode)
    expect(document).toMatchObject({
      operation: 'lists.add-contacts',
      result: { added, skipped, failed, unknown: 0, error: refused ? 2 : 0 },
      // 400 and 404 before any success: the list is wrong, and so the run stops.
      stopReason: refused ? 'refused' : null,
      exitCode,
    })
  })
})

describe('contacts delete', () => {
  const all = [ids.source, ids.target, ids.third]
  test.each(contactsDelete.map((variant) => [variant.name, variant] as const))('%s', async (_, variant) => {
    const [answer] = variant.answers
    const { code, document, asked } = await play(`contacts delete ${all.join(' ')} --yes --json`, variant)
    expect(asked.map((request) => request.body)).toEqual([JSON.stringify({ contactIds: all })])
    // A 422 is a refusal of this batch alone; 400 and 404 would stop the run.
    const refused = answer === undefined || isError(answer)
    const { deletedCount, notFoundIds, blockedIds } = refused
      ? { deletedCount: 0, notFoundIds: [], blockedIds: [] }
      : dataOf(answer)
    const summary = document as { notFoundIds: string[]; blockedIds: string[] }
    const [notFound, blocked, error] = [texts(notFoundIds).length, texts(blockedIds).length, refused ? 3 : 0]
    expect(summary).toMatchObject({
      operation: 'contacts.delete',
      result: { deleted: deletedCount, notFound, blocked, error, unknown: 0 },
    })
    // As they were sent, whatever the letter case of the answer.
    expect([...summary.notFoundIds].sort()).toEqual(texts(notFoundIds).sort())
    expect([...summary.blockedIds].sort()).toEqual(texts(blockedIds).sort())
    expect(code).toBe(deletedCount === 3 ? 0 : 3)
  })
})

test('names are found in whatever the service answers', async () => {
  for (const variant of listsList) {
    service = await startService([
      ...variant.answers,
      ...['64b000000000000000000001', '64b000000000000000000002', '64B00000000000000000ABCD'].map((id) => ({
        method: 'GET' as const,
        path: `/v1/lists/${id}`,
        status: 200,
        body: {
          data: {
            list: { id, name: 'VIP', contactsCount: 0 },
            members: [],
            pagination: { page: 1, limit: 1, total: 0, totalPages: 0, hasNext: false, hasPrev: false },
          },
        },
      })),
    ])
    const { code } = await svc('lists get VIP --json', { env: { SVC_BASE_URL: service.baseUrl } })
    expect([variant.name, code]).toEqual([variant.name, variant.name === 'no lists' ? 6 : 0])
    await service.close()
  }
})

test('history in pieces, with every kind of cursor', async () => {
  for (const variant of ticketsHistory.slice(0, 5)) {
    service = await startService(variant.answers)
    const env = { SVC_BASE_URL: service.baseUrl }
    const line = `tickets history ${ids.ticket} --json --limit 20`
    const first = JSON.parse((await svc(line, { env })).stdout) as {
      messages: { id: string }[]
      nextChunkStartMessageId: string
    }
    const rest = JSON.parse(
      (await svc(['tickets', 'history', ids.ticket, '--json', '--cursor', first.nextChunkStartMessageId], { env }))
        .stdout,
    ) as typeof first
    const both = [...first.messages, ...rest.messages].map(({ id }) => id)
    expect([variant.name, new Set(both).size]).toEqual([variant.name, 25])
    expect(rest).not.toHaveProperty('nextChunkStartMessageId')
    await service.close()
  }
})
