/** Laws for every command, from its data: each says what it does, and one that changes something keeps no output. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { verbs, type Page } from '../support/tree.ts'
import { createSandboxWorld } from '../support/svc.ts'

const world = await createSandboxWorld()
const { examples } = world.sandbox

const isRead = ({ command }: Page): boolean => command?.effect === 'reads'
const changes = verbs.filter(({ command }) =>
  Object.keys(operations).some((name) => name === command?.effect),
)

/** A value for each argument and each option that a command has to have, by the word for it in the help. */
const values: Readonly<Record<string, string>> = {
  list: 'VIP',
  source: examples.contactsWithoutChats[0] ?? '',
  target: examples.contactsWithoutChats[1] ?? '',
  ticket: examples.tickets.active,
  employee: examples.employee,
  id: examples.contactsWithoutChats[2] ?? '',
  run: 'nightly',
}

/** The value of an option: another ticket than the one that an argument names. */
const valueOf = (word: string): string =>
  (word === 'ticket' ? examples.tickets.long : values[word]) ?? '26h'

/** A command line with all that the command may be given of that. */
function lineOf({ path, options, arguments: takes }: Page): string[] {
  // A change of a list has to say what it changes, a merge and an assign who is the other one.
  const needed = new Set(['name', 'into', 'to'])
  const chosen = options.filter(({ key, isRequired }) => isRequired === true || needed.has(key))
  return [
    ...path.split(' ').slice(1),
    ...takes.map(({ name }) => values[name] ?? 'x'),
    ...chosen.flatMap(({ long, value = '' }) => [long, valueOf(value)]),
  ]
}

test('each command says what it does, and every operation that changes something has one', () => {
  for (const { command, path } of verbs) expect(command?.effect, path).toBeDefined()
  const names = Object.entries(operations).flatMap(([name, { method }]) =>
    method === 'GET' ? [] : [name],
  )
  expect(new Set(changes.map(({ command }) => command?.effect))).toEqual(new Set(names))
  expect(changes).toHaveLength(names.length)
})

test.each(verbs.filter((verb) => !isRead(verb)).map((verb) => [verb.path, verb] as const))(
  '%s is no read and keeps no output: --out is refused before anything is sent',
  async (_, verb) => {
    const line = [...lineOf(verb), '--yes', '--out', join(world.folder, 'out.txt')]
    const { result, sent } = await world.requestsOf(line)
    expect([result.code, sent]).toEqual([2, []])
    expect(result.stderr).toMatch(/^error: --out is only for commands that read$/m)
  },
)
