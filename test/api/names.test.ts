import { shownText } from '../shown-text.ts'
import { describe, expect, test } from 'vitest'
import { findEmployee, parseReference } from '../../src/api/names.ts'
import { type SvcError, textOf } from '../../src/errors.ts'

const id = '64B0000000000000000000aF'

test.each([
  [id, { kind: 'id', id }],
  [`id:${id}`, { kind: 'id', id }],
  [`name:${id}`, { kind: 'name', name: id, isExact: true }],
  ['name:id:x', { kind: 'name', name: 'id:x', isExact: true }],
  [id.slice(1), { kind: 'name', name: id.slice(1) }],
])('%j refers to %j', (text, reference) => {
  expect(parseReference(text, 'list')).toEqual(reference)
})

test.each([
  ['', 'the name of the list is empty'],
  ['name:', 'the name of the list is empty'],
  ['id:', 'the id of the list is empty'],
  [`id:${id}0`, `"${id}0" is not an id: ids have 24 hexadecimal digits`],
])('%j is refused with exit 2', (text, message) => {
  expect(() => parseReference(text, 'list')).toThrow(
    expect.objectContaining({ message, exitCode: 2 }),
  )
})

const employee = (number: number, firstName?: string | null, lastName?: string | null) => ({
  id: String(number).padStart(24, '0'),
  firstName,
  lastName,
  kind: 'human',
  position: 'Agent\nerror: not a line of ours',
})

type People = ReturnType<typeof employee>[]

/** Finds as a read does; `noted` says which near name it took. */
async function find(all: People, text: string) {
  let noted: string | undefined
  const note = (message: string): void => void (noted = message)
  const { id } = await findEmployee(() => Promise.resolve(all), text, { noteSimilar: note })
  return { id, noted }
}

describe('employees', () => {
  test.each([
    ['Anna Berg', employee(1, 'Anna', 'Berg')],
    ['Berg', employee(3, null, 'Berg')],
  ])('%s is found', async (name, found) => {
    expect(await find([employee(9, 'anna', 'berg'), found], name)).toEqual({ id: found.id })
  })

  test.each([
    ['  ANNA \t BERG ', 'Anna Berg'],
    ['jose\u0301 ruiz', 'Jos\u00e9 Ruiz'],
    ['An\u200bna\u00ad Berg', 'Anna Berg'],
    ['\uff21nna\u2009Berg\ufeff', 'Anna Berg'],
  ])('%j is nearly the name of one: a read takes it, a change names it', async (typed, name) => {
    const all = [
      employee(1, 'Anna', 'Berg'),
      employee(2, 'Jos\u00e9', 'Ruiz'),
      employee(3, 'Anna', 'Bergen'),
    ]
    const found = all.find((each) => `${each.firstName} ${each.lastName}` === name)
    const noted = `no employee is called "${typed}"; using "${name}"`
    expect(await find(all, typed)).toEqual({ id: found?.id, noted })
    await expect(find(all, `name:${typed}`)).rejects.toThrow('no employee is called')
    const change = findEmployee(() => Promise.resolve(all), typed, { retype: () => 'svc …' })
    await expect(change).rejects.toMatchObject({
      exitCode: 1,
      message: `no employee is called "${typed}"`,
      details: { hint: expect.arrayContaining(['did you mean:', '  svc …']) as string[] },
    })
  })

  test('five of the name are suggested by their ids, with what distinguishes them', async () => {
    const twins = Array.from({ length: 23 }, (_, n) => employee(n, 'Sam', 'Twin'))
    const error = await find(twins, 'Sam Twin').catch((thrown: unknown) => thrown as SvcError)
    const said = shownText(error as SvcError).split('\n')
    expect(said[0]).toContain('23 employees are called "Sam Twin"')
    expect(said).toHaveLength(14)
    expect(said.slice(10, 12).map((line) => line.trim())).toEqual([
      'human, Agent\\u{a}error: not a line of ours:',
      twins[4]?.id,
    ])
  })
})

/** What is suggested in place of a name that nobody has. */
async function suggestionsFor(typed: string, names: readonly string[]) {
  const all = names.map((name, n) => employee(n + 1, name))
  const change = findEmployee(() => Promise.resolve(all), typed, {
    retype: ({ name }) => `svc … ${name}`,
  })
  const error = await change.catch((thrown: unknown) => thrown)
  const { hint = '' } = (error as SvcError).details
  const lines = textOf(hint, ({ text }) => text).split('\n')
  return lines.slice(0, lines.indexOf('to see all names:'))
}

const robins = ['Robin Berg', 'Anna Robinson', 'robin z', 'Robyn', 'ROBIN A', 'Robin B', 'Eve']

test.each([
  ['Robin', robins, '"Robyn", "Robin Berg", "Anna Robinson", "robin z", "ROBIN A"'],
  ['berg  robin', robins, '"Robin Berg"'],
  ['Rabin', ['Robyn', 'Rubin', 'Robin', 'Rabina'], '"Rubin", "Robin", "Rabina"'],
])('%s: names with the words are suggested, the nearest ones first', async (typed, all, names) => {
  expect(await suggestionsFor(typed, all)).toEqual([
    'did you mean:',
    ...names.split(', ').map((name) => `  svc … ${name.slice(1, -1)}`),
  ])
})
