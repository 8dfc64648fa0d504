/** Names of lists and employees: which one is meant. If red, svc takes another than the one that was typed, or finds none. */
import { shownText } from '../support/shown-text.ts'
import { describe, expect, test } from 'vitest'
import {
  employeeNames,
  findEmployee,
  findSameName,
  listCalled,
  refuseEmptyName,
} from '../../src/api/by-name.ts'
import { SvcError } from '../../src/errors.ts'

const id = '64B0000000000000000000aF'

test('24 hexadecimal digits are an id, for which no employee is read, and any other text is a name', async () => {
  const read = () => Promise.reject(new Error('read'))
  expect(await findEmployee(read, id, {})).toEqual({ id })
  for (const name of [`id:${id}`, id.slice(1)])
    await expect(findEmployee(read, name, {})).rejects.toThrow('read')
})

test('an empty name is refused with exit 2', () => {
  expect(() => refuseEmptyName('', 'list')).toThrow(
    expect.objectContaining({ message: 'the name of the list is empty', exitCode: 2 }),
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
    const change = findEmployee(() => Promise.resolve(all), typed, { lineWith: () => 'svc …' })
    await expect(change).rejects.toMatchObject({
      exitCode: 1,
      message: `no employee is called "${typed}"`,
      details: { hint: expect.stringMatching(/^did you mean:\n.*\n {4}svc …\n/) as string },
    })
  })

  test('five of the name are suggested by their ids, with what distinguishes them', async () => {
    const twins = Array.from({ length: 23 }, (_, n) => employee(n, 'Sam', 'Twin'))
    const error = await find(twins, 'Sam Twin').catch((thrown: unknown) => thrown as SvcError)
    const said = shownText(error as SvcError).split('\n')
    expect(said[0]).toContain('23 employees are called "Sam Twin"')
    expect(said).toHaveLength(14)
    expect(said.slice(10, 12).map((line) => line.trim())).toEqual([
      '"Sam Twin", human, Agent\\u{a}error: not a line of ours:',
      twins[4]?.id,
    ])
  })
})

/** The names that are suggested in place of one that nobody has. */
async function suggestionsFor(typed: string, names: readonly string[]) {
  const all = names.map((name, n) => ({ id: String(n), firstName: name }))
  const change = findEmployee(() => Promise.resolve(all), typed, {})
  const error = await change.catch((thrown: unknown) => thrown)
  return [...shownText(error as SvcError).matchAll(/^ +(".*"):$/gm)].map(([, name]) => name)
}

const robins = ['Robin Berg', 'Anna Robinson', 'robin z', 'Robyn', 'ROBIN A', 'Robin B', 'Eve']

test.each([
  ['Robin', robins, '"Robyn", "Robin Berg", "Anna Robinson", "robin z", "ROBIN A"'],
  ['berg  robin', robins, '"Robin Berg"'],
  ['Rabin', ['Robyn', 'Rubin', 'Robin', 'Rabina'], '"Rubin", "Robin", "Rabina"'],
])('%s: names with the words are suggested, the nearest ones first', async (typed, all, names) => {
  expect(await suggestionsFor(typed, all)).toEqual(names.split(', '))
})

const anna = employee(0xa1, 'Anna', 'Berg')
const others = [employee(0xa2, 'Anna', 'Berg'), employee(0xa3), employee(0xa4, 'Bo')]

test('employees are shown by name, with the id where several share it, and by id if none can be read', async () => {
  const noted: string[] = []
  const note = (text: string): void => void noted.push(text)
  const names = await employeeNames({ note }, () => Promise.resolve([anna, ...others]))
  const shared = [anna, others[0]].map((each) => [each?.id, `Anna Berg (${each?.id})`])
  expect([...names]).toEqual([...shared, [others[2]?.id, 'Bo']])
  const failing = (category: 'rejected' | 'interrupted') => () =>
    Promise.reject(new SvcError(category, 'no'))
  expect((await employeeNames({ note }, failing('rejected'))).size).toBe(0)
  expect(noted).toEqual([expect.stringContaining('could not be read: no')])
  await expect(employeeNames({ note }, failing('interrupted'))).rejects.toThrow('no')
})

const lists = ['VIP', 'vip', ''].map((name, n) => ({ id: `${n}`, name, contactsCount: n }))

test('the list of exactly this name is found, and no other', () => {
  const notes: string[] = []
  const note = (text: string) => void notes.push(text)
  expect(listCalled(lists, 'vip', note)).toBe(lists[1])
  expect(() => listCalled(lists, 'Vip', note)).toThrow('no list is called "Vip"')
  expect(listCalled(lists.slice(1), 'V\u200bIP ', note)).toBe(lists[1])
  expect(notes).toEqual(['no list is called "V\u200bIP "; using "vip"'])
  expect(findSameName(lists, 'vip')).toBe(lists[1])
  expect(findSameName(lists, 'Vi\u00adp')).toBe(lists[0])
  expect(findSameName(lists, 'VIPs')).toBe(undefined)
})
