/** Each command says what it does, from its data. */
import { expect, test } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { verbs } from '../support/tree.ts'

const changes = verbs.filter(({ command }) =>
  Object.keys(operations).some((name) => name === command?.effect),
)

test('each command says what it does, and every operation that changes something has one', () => {
  for (const { command, path } of verbs) expect(command?.effect, path).toBeDefined()
  const names = Object.entries(operations).flatMap(([name, { method }]) =>
    method === 'GET' ? [] : [name],
  )
  expect(new Set(changes.map(({ command }) => command?.effect))).toEqual(new Set(names))
  expect(changes).toHaveLength(names.length)
})
