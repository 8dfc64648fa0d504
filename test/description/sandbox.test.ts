/** The sandbox as a black box: every case of the description, over HTTP. */
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox, type Sandbox } from '../sandbox/watched.ts'
import * as authentication from './authentication.ts'
import type { DescribedCase, Ids, Sender } from './case.ts'
import { differences } from './check.ts'
import * as contactsDelete from './contacts-delete.ts'
import * as contactsMerge from './contacts-merge.ts'
import * as employeesList from './employees-list.ts'
import * as listsAddContacts from './lists-add-contacts.ts'
import * as listsCreate from './lists-create.ts'
import * as listsGet from './lists-get.ts'
import * as listsList from './lists-list.ts'
import * as listsUpdate from './lists-update.ts'
import * as ticketsAssign from './tickets-assign.ts'
import * as ticketsHistory from './tickets-history.ts'

const operations: [string, readonly DescribedCase[]][] = [
  ['authentication', authentication.cases],
  ['1. list contact lists', listsList.cases],
  ['2. create contact list', listsCreate.cases],
  ['3. get contact list', listsGet.cases],
  ['4. update contact list', listsUpdate.cases],
  ['5. add contacts to a list in bulk', listsAddContacts.cases],
  ['6. merge contacts', contactsMerge.cases],
  ['7. delete contacts in bulk', contactsDelete.cases],
  ['8. get ticket history', ticketsHistory.cases],
  ['9. change ticket assignee', ticketsAssign.cases],
  ['10. list employees', employeesList.cases],
]

const offsets: Readonly<Record<string, number>> = {
  stale: -6 * 60_000,
  early: 6 * 60_000,
  'nearly stale': -4.5 * 60_000,
}

describe.each(operations)('%s', (_, cases) => {
  // The cases of an operation follow each other on one service.
  let sandbox: Sandbox
  let ids: Ids
  beforeAll(async () => {
    sandbox = await startSandbox()
    ids = idsOf(sandbox)
  })
  afterAll(() => sandbox.close())

  test.each(cases.map((one) => [one[0], one] as const))('%s', async (_name, [, , request, answer, sent, sender]) => {
    const { status, body } = await send(sandbox, filled(ids, request), filled(ids, sent), sender)
    expect(wrong(status, body, filled(ids, answer))).toEqual([])
  })
})

/** What is wrong with an answer, in words. */
function wrong(status: number, body: Record<string, unknown>, answer: DescribedCase[3]): string[] {
  if ('data' in answer) {
    // API: Endpoints: the single top-level property is `data`; success status codes are not shown.
    if (status !== 200 && status !== 201) return [`the status is ${status}`]
    const others = Object.keys(body).filter((name) => name !== 'data')
    return [...others.map((name) => `${name} is not described`), ...differences(body['data'], answer.data)]
  }
  const expected = answer.status === '4xx' ? status >= 400 && status < 500 : status === answer.status
  const { code } = answer
  return [
    ...(expected ? [] : [`the status is ${status}, not ${answer.status}`]),
    ...differences(body, { code: code === undefined ? 'positive' : { is: code }, message: 'text' }, 'body'),
  ]
}

function idsOf({ examples, store }: Sandbox): Ids {
  const [contact = '', otherContact = ''] = examples.contactsWithoutChats
  const { tickets } = examples
  return {
    list: examples.list,
    emptyList: examples.emptyList,
    contact,
    otherContact,
    contactWithChats: examples.contactsWithChats[0] ?? '',
    unknown: 'ffffffffffffffffffffffff',
    employee: examples.employee,
    aiEmployee: examples.aiEmployee,
    employeeInactive: examples.employeeInactive,
    employeeWithoutChannel: examples.employeeWithoutChannel,
    assignee: store.tickets.assigneeOf(tickets.active) ?? '',
    ticket: tickets.active,
    newTicket: tickets.new,
    oldTicket: tickets.old,
    closedTicket: tickets.closed,
    notCurrentTicket: tickets.notCurrent,
    unassignedTicket: tickets.unassigned,
  }
}

/** Puts the service's ids where a case names them. */
function filled<T>(ids: Ids, template: T): T {
  if (template === undefined) return template
  const text = Object.entries(ids).reduce(
    (all, [name, id]) => all.replaceAll(`{${name}}`, id),
    JSON.stringify(template),
  )
  return JSON.parse(text) as T
}

async function send(
  { baseUrl, keys }: Sandbox,
  request: string,
  sent: unknown,
  sender?: Sender,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const key = keys.find(({ name }) => name === sender) ?? keys.find(({ name }) => name === 'read-write')
  const [method, path] = request.split(' ') as [string, string]
  const body = sent === undefined ? undefined : JSON.stringify(sent)
  const timestamp = String(Date.now() + (offsets[sender ?? ''] ?? 0))
  const secret = sender === 'wrong' ? 'another secret' : (key?.apiSecret ?? '')
  const headers = {
    'X-Service-Key': key?.apiKey ?? '',
    'X-Service-Timestamp': timestamp,
    'X-Service-Signature': createHmac('sha256', secret)
      .update(`${timestamp}.${body ?? ''}`)
      .digest('hex'),
  }
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: {
      ...(sender === 'nothing' ? {} : headers),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
