/** Which list or employee a typed name means. If red, svc takes another than the one that was typed, or finds none. */
import { describe, expect, test } from 'vitest'
import { findEmployee, findSameName, listCalled, parseListName } from '../../src/api/by-name.ts'
import { refusal } from '../support/inputs.ts'
import { shownText } from '../support/shown-text.ts'

const id = '64B0000000000000000000aF'

test('24 hexadecimal digits are an id, for which no employee is read, and any other text is a name', async () => {
  const read = () => Promise.reject(new Error('read'))
  expect(await findEmployee(read, id)).toEqual({ id })
  for (const name of [`id:${id}`, id.slice(1)])
    await expect(findEmployee(read, name)).rejects.toThrow('read')
})

test('an empty name is refused with exit 2', async () => {
  await expect(findEmployee(() => Promise.resolve([]), '')).rejects.toMatchObject({
    message: 'the name of the employee is empty',
    exitCode: 2,
  })
})

describe('the name that a list gets', () => {
  const emoji = '😀'
  test.each(['a', 'é', `${'a'.repeat(99)}${emoji}`, 'e\u0301', '\u00a0x', id.slice(1), 'a  b'])(
    '%j is sent as it is',
    (name) => expect(parseListName(name, '--name')).toBe(name),
  )
  test.each([
    ['', '1 to 100 characters, not 0'],
    [emoji.repeat(101), '1 to 100 characters, not 101'],
    [' \u00a0\u200b\u2800', 'has nothing that can be seen'],
    ['a\nb', 'control characters'],
    ['a\u001b[31m', 'control characters'],
    ['\u0085a', 'control characters'],
    ['a\u2028b', 'control characters'],
    [id, 'must not look like an id'],
    [` ${id}\u200b`, 'must not look like an id'],
  ])('%j is exit 2: %s', (name, words) => {
    expect(() => parseListName(name, '--name')).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.stringContaining(words) as string }),
    )
  })
})

const employee = (number: number, firstName?: string | null, lastName?: string | null) => ({
  id: String(number).padStart(24, '0'),
  firstName,
  lastName,
  kind: 'human',
  position: 'Agent\nerror: not a line of ours',
})

type People = ReturnType<typeof employee>[]

const find = (all: People, name: string, words?: readonly string[]) =>
  findEmployee(() => Promise.resolve(all), name, words)

/** The message and hint when no employee, or more than one, is meant. */
async function refusalText(all: People, name: string, words?: readonly string[]) {
  const error = await refusal(find(all, name, words))
  expect(error.exitCode).toBe(1)
  return shownText(error)
}

describe('employees', () => {
  test.each([
    ['Anna Berg', employee(1, 'Anna', 'Berg')],
    ['Berg', employee(3, null, 'Berg')],
    ['Jose\u0301 Ruiz', employee(4, 'Jos\u00e9', 'Ruiz')],
    ['Jos\u00e9 Diaz', employee(5, 'Jose\u0301', 'Diaz')],
  ])('%s is found, in any form of its letters', async (name, found) => {
    expect((await find([employee(9, 'anna', 'berg'), found], name)).id).toBe(found.id)
  })

  test.each(['anna berg', ' Anna Berg', 'Anna  Berg', 'An\u200bna Berg', '\uff21nna Berg'])(
    '%j is not "Anna Berg", which is suggested with the whole command',
    async (typed) => {
      const all = [employee(1, 'Anna', 'Berg'), employee(2, 'Jos\u00e9', 'Ruiz')]
      const words = ['tickets', 'assign', `--to=${typed}`, 'x y']
      expect(await refusalText(all, typed, words)).toContain(
        `    svc tickets assign --to=${all[0]?.id} 'x y'\nto see all names:`,
      )
    },
  )

  test('if many have the name, five are suggested by kind, position and id', async () => {
    const twins = Array.from({ length: 23 }, (_, n) => employee(n, 'Sam', 'Twin'))
    const text = await refusalText(twins, 'Sam Twin')
    expect(text).toContain('23 employees are called "Sam Twin"')
    const suggested = text.matchAll(/^ +"Sam Twin", human, Agent\\u\{a\}error: .*:\n +(.*)$/gm)
    expect(Array.from(suggested, ([, ownId]) => ownId)).toEqual(
      twins.slice(0, 5).map((twin) => twin.id),
    )
  })
})

const robins = ['Robin Berg', 'Anna Robinson', 'robin z', 'Robyn', 'ROBIN A', 'Robin B', 'Eve']

test.each([
  ['Robin', robins, '"Robin Berg", "Anna Robinson", "robin z", "ROBIN A", "Robin B"'],
  ['berg  robin', robins, '"Robin Berg", "Robin B", "Anna Robinson", "robin z", "ROBIN A"'],
  ['Rabin', ['Robyn', 'Rubin', 'Eve', 'Robin', 'Rabina'], '"Rabina", "Rubin", "Robin"'],
  ['Eva', robins, '"Eve"'],
])(
  'suggestions for %s: names that have much of it, the nearest first',
  async (typed, all, names) => {
    const people = all.map((name, n) => employee(n, name))
    const suggested = (await refusalText(people, typed)).matchAll(/^ +(".*"), human/gm)
    expect(Array.from(suggested, ([, name]) => name).join(', ')).toBe(names)
  },
)

const lists = ['VIP', 'vip', ''].map((name, n) => ({ id: `${n}`, name, contactsCount: n }))

test('the list of exactly the typed name is found, and no other', () => {
  expect(listCalled(lists, 'vip')).toBe(lists[1])
  expect(() => listCalled(lists, 'Vip')).toThrow('no list is called "Vip"')
})

test('a list has the same name as a new one if it has the name, or looks the same', () => {
  expect(findSameName(lists, 'vip')).toBe(lists[1])
  for (const name of ['Vi\u00adp', ' v I p', '\uff36IP'])
    expect(findSameName(lists, name)).toBe(lists[0])
  expect(findSameName(lists, 'VIPs')).toBe(undefined)
})
