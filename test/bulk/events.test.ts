/** The lines of a journal: what is written reads back the same and bounded. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { operationOf } from '../../src/bulk/operations/operations.ts'
import { answerToKeep, parseEvent, resEvent } from '../../src/bulk/record/events.ts'
import { bulkOperations, type BulkOperation } from '../../src/api/operations.ts'
import type { AttemptResult } from '../../src/http/attempt.ts'
import { idOf } from '../input/inputs.ts'

const [a, b] = [0xa, 0xb].map(idOf) as [string, string]
const place = { b: 2, a: 3, at: 4 }

const answered = (data: unknown): AttemptResult => ({
  kind: 'answered',
  status: 200,
  data,
  headers: {},
})

describe('the line for an attempt', () => {
  it('a message is cut at 1 KB of UTF-8, never within a character', () => {
    const message = (text: string): string =>
      resEvent(operationOf('contacts.delete').keptFields, place, {
        kind: 'ambiguous',
        message: text,
      }).m ?? ''
    expect(message('x'.repeat(1024))).toBe('x'.repeat(1024))
    expect(message('x'.repeat(1025))).toBe('x'.repeat(1024))
    expect(message('é'.repeat(600))).toBe('é'.repeat(512))
    expect(message(`x${'é'.repeat(600)}`)).toBe(`x${'é'.repeat(511)}`)
    expect(message(`xx${'😀'.repeat(600)}`)).toBe(`xx${'😀'.repeat(255)}`)
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 1500 }), (text) => {
        const kept = message(text)
        const bytes = Buffer.byteLength(kept)
        expect(text.startsWith(kept)).toBe(true)
        expect(bytes).toBeLessThanOrEqual(1024)
        const [next = ''] = text.slice(kept.length)
        expect(kept === text || bytes + Buffer.byteLength(next) > 1024).toBe(true)
      }),
    )
  })

  it.each([1e20, -1, 40001.5, 2 ** 53, Infinity])(
    'a code of an error that readers do not agree on is left out: %d',
    (code) => {
      const event = resEvent([], place, {
        kind: 'refused',
        status: 422,
        headers: {},
        html: false,
        code,
        message: 'no',
      })
      expect(parseEvent(JSON.parse(JSON.stringify(event)))).toMatchObject({
        k: 'refused',
        s: 422,
        m: 'no',
      })
    },
  )

  it('any answer makes a line that is read back the same and is not long', () => {
    const operation = fc.constantFrom(...bulkOperations)
    fc.assert(
      fc.property(
        operation,
        fc.jsonValue({ maxDepth: 5 }),
        fc.string({ unit: 'binary' }),
        (name, data, text) => {
          for (const result of [answered(data), { kind: 'ambiguous', message: text } as const]) {
            const event = resEvent(operationOf(name).keptFields, place, result)
            const line = JSON.stringify(event)
            expect(parseEvent(JSON.parse(line))).toEqual(JSON.parse(line))
            expect(Buffer.byteLength(line)).toBeLessThan(32 * 1024)
          }
        },
      ),
      { numRuns: 40 },
    )
  })
})

describe('what is kept of an answer', () => {
  const answers: [operation: BulkOperation, data: object][] = [
    ['contacts.delete', { deletedCount: 1, notFoundIds: [a], blockedIds: [b] }],
    ['lists.add-contacts', { added: 1, skipped: 2, failed: 3 }],
    ['contacts.merge', { mergedContactId: a, contact: { id: b } }],
    ['tickets.assign', { ticketId: a, chatId: null, previousAssigneeId: b, newAssigneeId: a }],
  ]
  it.each(answers)('%s: the known fields, and nothing else', (operation, data) => {
    expect(
      answerToKeep(operationOf(operation).keptFields, { ...data, phone: '1', added2: 1e20 }),
    ).toEqual(data)
    expect(answerToKeep(operationOf(operation).keptFields, data)).toEqual(data)
  })

  it('of a merge, no personal data', () => {
    const contact = { id: b, firstName: 'Ann', identities: { phone: ['1'] } }
    expect(
      answerToKeep(operationOf('contacts.merge').keptFields, { mergedContactId: a, contact }),
    ).toEqual({
      mergedContactId: a,
      contact: { id: b },
    })
    expect(
      answerToKeep(operationOf('contacts.merge').keptFields, {
        mergedContactId: a,
        contact: 'Ann, 1',
      }),
    ).toEqual({
      mergedContactId: a,
      contact: null,
    })
    expect(answerToKeep(operationOf('contacts.merge').keptFields, { mergedContactId: a })).toEqual({
      mergedContactId: a,
    })
  })

  const long = {
    deletedCount: 0,
    notFoundIds: Array.from({ length: 700 }, (_, i) => idOf(i)),
    blockedIds: [],
  }
  it('what is over 16 KiB is kept as the first 4 KB of its text', () => {
    expect(answerToKeep(operationOf('contacts.delete').keptFields, long)).toEqual({
      raw: JSON.stringify(long).slice(0, 4096),
    })
    const short = { ...long, notFoundIds: long.notFoundIds.slice(0, 600) }
    expect(answerToKeep(operationOf('contacts.delete').keptFields, short)).toEqual(short)
    const fitting = 'x'.repeat(16 * 1024 - 2)
    expect(answerToKeep(operationOf('contacts.delete').keptFields, fitting)).toBe(fitting)
    expect(answerToKeep(operationOf('contacts.delete').keptFields, `${fitting}x`)).toEqual({
      raw: `"${'x'.repeat(4095)}`,
    })
    const text = 'é'.repeat(10_000)
    expect(answerToKeep(operationOf('contacts.delete').keptFields, text)).toEqual({
      raw: `"${'é'.repeat(2047)}`,
    })
  })

  it('so is what holds a number that readers do not agree on', () => {
    for (const number of [1e20, 0.5, Number.MAX_SAFE_INTEGER + 1]) {
      for (const data of [
        { deletedCount: number, notFoundIds: [], blockedIds: [] },
        { deletedCount: 0, notFoundIds: [[number]], blockedIds: [] },
      ]) {
        expect(answerToKeep(operationOf('contacts.delete').keptFields, data)).toEqual({
          raw: JSON.stringify(data),
        })
      }
    }
  })
})
