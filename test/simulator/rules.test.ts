/** The simulator derives its rules from the registry: an operation that it cannot judge fails here, before any world is played. */
import { describe, expect, test } from 'vitest'
import { bulkOperations } from '../../src/api/operations.ts'
import { outcomesOfOperation } from '../../src/runs/outcomes.ts'
import { ruleOf } from './facts.ts'
import { stepNames } from './traffic.ts'

describe.each(bulkOperations)('%s', (name) => {
  test('is played', () => {
    expect(stepNames).toContain(name)
  })

  test.each(outcomesOfOperation(name))('the outcome %s has a rule', (outcome) => {
    expect(ruleOf(name, outcome)).toBeTypeOf('function')
  })
})

test('an outcome that the operation does not have, has no rule', () => {
  expect(() => ruleOf('contacts.merge', 'deleted')).toThrow(
    'there is no rule for "deleted" of contacts.merge',
  )
})
