/** What each bulk operation sends, keeps of an answer, and does not believe. `fold.test.ts` has what follows from stories of attempts. */
import { describe, expect, it } from 'vitest'
import type { BulkOperation } from '../../src/api/operations.ts'
import type { AttemptResult } from '../../src/http/attempt.ts'
import { untouched } from '../../src/runs/batch.ts'
import { isActive } from '../../src/runs/operations/assign.ts'
import {
  commandOf,
  operationOf,
  targetName,
  undoableOperations,
} from '../../src/runs/operations/operations.ts'
import { pairOf } from '../../src/runs/operations/pairs.ts'
import {
  acceptable,
  acceptableOf,
  acceptedBy,
  figuresOf,
  idArraysOf,
  isPending,
  outcomes,
  outcomesOfOperation,
  outcomesToList,
  reopenable,
} from '../../src/runs/outcomes.ts'
import { answerToKeep, resultLine } from '../../src/runs/operations/result-line.ts'
import type { Batch } from '../../src/runs/operations/operation.ts'
import { idOf } from '../input/inputs.ts'
import { table } from '../table.ts'

const [a = '', b = '', c = ''] = [0xa1, 0xb1, 0xc1].map(idOf)
const list = { id: c, name: 'VIP' }

const batchOf = (operation: BulkOperation, more: Partial<Batch> = {}): Batch => ({
  operation,
  ids: [a],
  other: b,
  parameters: { list },
  ...more,
})

describe('what is sent', () => {
  it.each<[BulkOperation, string, number, number, object]>([
    ['contacts.delete', 'Delete', 100, 4, { path: {}, body: { contactIds: [a] } }],
    ['lists.add-contacts', 'Add', 100, 4, { path: { listId: c }, body: { contactIds: [a] } }],
    [
      'contacts.merge',
      'Merge',
      1,
      1,
      { path: { sourceContactId: a }, body: { targetContactId: b } },
    ],
    ['tickets.assign', 'Assign', 1, 2, { path: { ticketId: a }, body: { newAssigneeId: b } }],
  ])('%s', (name, verb, most, concurrency, request) => {
    const operation = operationOf(name)
    expect(operation.batch).toEqual({ most, concurrency })
    expect(operation.words.verb).toBe(verb)
    expect(operation.request(batchOf(name), [a])).toEqual(request)
    expect(commandOf(name)).toBe(name.split('.').join(' '))
  })

  it('a pair is one id with one other, and contacts are added to a list', () => {
    const pair = batchOf('contacts.merge')
    expect(pairOf(pair)).toEqual({ id: a, other: b })
    for (const wrong of [{ ids: [] }, { ids: [a, b] }, { other: undefined }])
      expect(() => pairOf({ ...pair, ...wrong })).toThrow(RangeError)
    const nowhere = batchOf('lists.add-contacts', { parameters: {} })
    expect(() => operationOf('lists.add-contacts').request(nowhere, [a])).toThrow(TypeError)
  })

  it('the target of all is the list or the employee, by name where it is known', () => {
    const to = { id: b }
    expect([{ list, to }, { to }, {}].map(targetName)).toEqual(['VIP', b, undefined])
  })
})

describe('outcomes', () => {
  const facts = table(`
    contacts.delete    | outcomes   | deleted not-found blocked gone not-attempted unknown error
    contacts.delete    | acceptable | not-found blocked
    contacts.delete    | to list    | blocked not-found error unknown
    contacts.delete    | figures    | deleted of deleted, gone of gone, notFound of not-found, blocked of blocked, error of error, unknown of unknown, notAttempted of not-attempted
    contacts.delete    | arrays     | notFoundIds of not-found, blockedIds of blocked, goneIds of gone, unknownIds of unknown
    lists.add-contacts | outcomes   | ok missing undetermined not-attempted unknown error
    lists.add-contacts | acceptable | missing undetermined
    lists.add-contacts | to list    | missing undetermined error unknown
    lists.add-contacts | figures    | added in ok, skipped in ok, addedOrSkipped in ok, missing of missing, undetermined of undetermined, error of error, unknown of unknown, notAttempted of not-attempted
    lists.add-contacts | arrays     | missingIds of missing, unknownIds of unknown
    contacts.merge     | outcomes   | done not-attempted unknown error
    contacts.merge     | acceptable |
    contacts.merge     | to list    | error unknown
    contacts.merge     | figures    | done of done, error of error, unknown of unknown, notAttempted of not-attempted
    contacts.merge     | arrays     | unknownIds of unknown
    tickets.assign     | outcomes   | done kept not-attempted unknown error
    tickets.assign     | acceptable | kept
    tickets.assign     | to list    | kept error unknown
    tickets.assign     | figures    | done of done, kept of kept, error of error, unknown of unknown, notAttempted of not-attempted
    tickets.assign     | arrays     | unknownIds of unknown
  `) as [BulkOperation, string, string][]
  const words: Readonly<Record<string, (name: BulkOperation) => string>> = {
    outcomes: (name) => outcomesOfOperation(name).join(' '),
    acceptable: (name) => acceptableOf(name).join(' '),
    'to list': (name) => outcomesToList(name).join(' '),
    figures: (name) =>
      figuresOf(name)
        .map((each) => `${each.name} ${each.isCount ? 'in' : 'of'} ${each.outcome}`)
        .join(', '),
    arrays: (name) =>
      idArraysOf(name)
        .map(([array, outcome]) => `${array} of ${outcome}`)
        .join(', '),
  }
  it.each(facts)('of %s: %s: %s', (name, fact, expected) => {
    expect(words[fact]?.(name)).toBe(expected)
  })

  it('are open, can be opened again, and can be accepted', () => {
    expect(outcomes.filter(isPending)).toEqual(['undetermined', 'not-attempted'])
    expect(isPending(undefined)).toBe(false)
    expect(reopenable).toEqual(['undetermined', 'not-attempted', 'unknown', 'error'])
    expect(acceptable).toEqual(['not-found', 'blocked', 'missing', 'undetermined', 'kept'])
    expect(acceptedBy()).toEqual([])
    const accepted = acceptedBy(['kept', 'blocked', 'not-found', 'done', 'x'])
    expect(accepted).toEqual(['not-found', 'blocked', 'kept'])
  })
})

describe('what is kept of a result', () => {
  const kept = (result: AttemptResult, fields: readonly string[] = ['id', 'contact.id']) =>
    resultLine(fields, result)
  const unsent = (systemCode: string) => ({ kind: 'never-sent', message: 'm', systemCode }) as const
  it.each<[string, AttemptResult, object]>([
    ['svc gave up', unsent('SVC_ABORTED'), {}],
    ['no way', unsent('ECONNREFUSED'), { m: 'm' }],
    ['never a way', unsent('ENOTFOUND'), { m: 'm', d: 'final' }],
    [
      'a refusal',
      { kind: 'refused', status: 400, code: 7, message: 'no' },
      { st: 400, code: 7, m: 'no' },
    ],
    ['a code that is none', { kind: 'refused', status: 400, code: 1e300 }, { st: 400 }],
    ['silence', { kind: 'ambiguous', message: 'reset' }, { m: 'reset' }],
    [
      'an answer',
      { kind: 'answered', status: 200, data: { id: 1, name: 'x', contact: { id: 2, name: 'y' } } },
      { st: 200, d: { id: 1, contact: { id: 2 } } },
    ],
  ])('%s', (_, result, line) => {
    expect(kept(result)).toEqual({ t: 'res', k: result.kind, ...line })
  })

  it('a message ends at 1 KiB and an answer at 16 KiB of UTF-8, and no character is cut', () => {
    const message = 'ä'.repeat(1000)
    expect(kept({ kind: 'ambiguous', message })).toMatchObject({ m: 'ä'.repeat(512) })
    const short = { text: 'x'.repeat(16 * 1024 - 11) }
    expect(answerToKeep(['text'], short)).toEqual(short)
    const long = answerToKeep(['text'], { text: `${short.text}x` })
    expect(long).toEqual({ raw: `{"text":"${'x'.repeat(4 * 1024 - 9)}` })
    const odd = answerToKeep(['text'], { text: '€'.repeat(8000) })
    expect(odd).toEqual({ raw: `{"text":"${'€'.repeat(1362)}` })
  })

  it.each([
    [{ contact: 7 }, { contact: null }],
    [{ contact: { name: 'y' } }, { contact: {} }],
    [{ toString: 1 }, {}],
    [
      [1, 'a'],
      [1, 'a'],
    ],
    [null, null],
    // Numbers on which readers of JSON do not agree.
    [{ id: 1e300 }, { raw: '{"id":1e+300}' }],
    [{ id: [{ n: 2 ** 53 }] }, { raw: '{"id":[{"n":9007199254740992}]}' }],
  ])('of %j: %j', (data, expected) => {
    expect(answerToKeep(['id', 'contact.id'], data)).toEqual(expected)
  })
})

describe('an answer that makes no sense', () => {
  const otherContact = 'the answer is about another contact'
  const other = 'the answer does not have the expected form'
  const deleted = (deletedCount: number, notFoundIds: string[], blockedIds: string[]) => {
    return { deletedCount, notFoundIds, blockedIds }
  }
  it.each<[BulkOperation, unknown, string | undefined]>([
    ['tickets.assign', { ticketId: a.toUpperCase(), newAssigneeId: b }, undefined],
    ['tickets.assign', { ticketId: a, newAssigneeId: a }, 'the answer is about another assignee'],
    ['tickets.assign', { ticketId: b, newAssigneeId: b }, 'the answer is about another ticket'],
    ['tickets.assign', { newAssigneeId: b }, other],
    ['tickets.assign', { ticketId: a }, other],
    ['tickets.assign', null, other],
    ['contacts.merge', { mergedContactId: a.toUpperCase(), contact: { id: b } }, undefined],
    ['contacts.merge', { mergedContactId: b, contact: { id: b } }, undefined],
    ['contacts.merge', { mergedContactId: c, contact: { id: b } }, otherContact],
    // The answer to a merge of the target into somebody else.
    ['contacts.merge', { mergedContactId: b, contact: { id: c } }, otherContact],
    ['contacts.merge', { mergedContactId: b }, other],
    ['contacts.merge', {}, other],
    ['contacts.merge', [], other],
    ['contacts.delete', {}, other],
    ['contacts.delete', deleted(0, [b], []), 'notFoundIds names an id that was not sent'],
    ['contacts.delete', deleted(0, [], [b]), 'blockedIds names an id that was not sent'],
    ['contacts.delete', deleted(1, [], []), undefined],
    ['lists.add-contacts', { added: 1, skipped: 0, failed: 0 }, undefined],
    ['lists.add-contacts', { added: 1 }, other],
  ])('of %s: %j, %s', (name, data, problem) => {
    expect(operationOf(name).problemWithAnswer(batchOf(name), [a], data)).toBe(problem)
  })

  it('of a delete: an id twice in one array, or once in both', () => {
    const { problemWithAnswer } = operationOf('contacts.delete')
    const problemOf = (...named: [notFoundIds: string[], blockedIds: string[]]) =>
      problemWithAnswer(batchOf('contacts.delete'), [a, b], deleted(0, ...named))
    expect([problemOf([a, a.toUpperCase()], []), problemOf([a], [a.toUpperCase()])]).toEqual([
      'notFoundIds names an id twice',
      'an id is in notFoundIds and in blockedIds',
    ])
  })
})

describe('a change of assignee', () => {
  const { undo, assignees } = operationOf('tickets.assign')
  it.each([
    [
      { previousAssigneeId: a, newAssigneeId: b },
      { id: c, other: a, expected: b },
    ],
    [{ previousAssigneeId: null, newAssigneeId: b }, undefined],
    [{ previousAssigneeId: a, newAssigneeId: null }, undefined],
    [{ previousAssigneeId: b.toUpperCase(), newAssigneeId: b }, undefined],
    [{ previousAssigneeId: 'x; rm', newAssigneeId: b }, undefined],
    [{ previousAssigneeId: a, newAssigneeId: '$(x)' }, undefined],
    [null, undefined],
  ])('%j is undone by %j', (answer, item) => {
    expect(typeof undo === 'function' && undo(c, answer)).toEqual(item)
    expect(undoableOperations).toEqual(['tickets.assign'])
  })

  it('has the assignees of the answer, or else those that were read', () => {
    const line = { s: '', i: 0, b: 1, at: 1 } as const
    const reading = { ...line, t: 'read', id: a } as const
    const formerAssignee = { id: c }
    const answer = { ...line, t: 'res', a: 1, k: 'answered', d: { newAssigneeId: b } } as const
    expect(assignees?.({ ...untouched, formerAssignee, reading })).toEqual({ before: c, after: a })
    expect(assignees?.({ ...untouched, formerAssignee, reading, answer })).toEqual({
      before: null,
      after: b,
    })
    const refused = { ...answer, k: 'refused' } as const
    expect(assignees?.({ ...untouched, answer: refused })).toEqual({})
  })

  it('an employee is active, is not, or nothing says so', () => {
    const employees = [
      { id: a, status: 'Active' },
      { id: b, status: 'INACTIVE' },
      { id: c, status: 'on leave' },
      { id: idOf(9) },
    ]
    const active = employees.map((each) => isActive(employees, each))
    expect(active).toEqual([true, false, undefined, undefined])
    // The service lists 1,000 employees at most.
    const most = Array.from({ length: 1000 }, (_, n) => ({ id: idOf(n) }))
    const unlisted = [most.slice(1), most].map((each) => isActive(each, undefined))
    expect(unlisted).toEqual([false, undefined])
  })
})
