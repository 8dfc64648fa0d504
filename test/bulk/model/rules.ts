/** What the model tests: the program's own rules, each of which can be replaced by a wrong one. */
import * as v from 'valibot'
import { shapes } from '../../../src/api/schemas.ts'
import { applyEvent, reopen, resumeBatch, taint, undoableFrom } from '../../../src/bulk/record/batch-state.ts'
import { assignStep } from '../../../src/bulk/operations/assign.ts'
import { nextAction, outcomesOf } from '../../../src/bulk/operations/operations.ts'
import type { BulkOperation } from '../../../src/bulk/record/events.ts'
import { isolate } from '../../../src/bulk/operations/isolate.ts'
import { RunState } from '../../../src/bulk/outcomes/state.ts'
import { classify, parseAnswer, type ReadAnswer } from '../../../src/http/attempt.ts'

export const rules = {
  State: RunState,
  classify,
  apply: applyEvent,
  taint,
  reopen,
  resume: resumeBatch,
  outcomesOf,
  next: nextAction,
  step: assignStep,
  undoableFrom,
  isolate,
}
export type Rules = typeof rules

/** How the answer of an operation is read: the result stands under `data` and has the operation's shape. */
export function reading(operation: BulkOperation): ReadAnswer {
  return (response) => {
    const parsed = parseAnswer(response)
    if (!parsed.ok) return parsed
    const body = v.safeParse(v.object({ data: shapes[operation].result }), parsed.document)
    return body.success ? { ok: true, data: body.output.data } : { ok: false, problem: 'another shape' }
  }
}
