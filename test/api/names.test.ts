import { shownText } from '../shown-text.ts'
import { describe, expect, test } from 'vitest'
import { matchEmployee, parseReference } from '../../src/api/names.ts'
import type { SvcError } from '../../src/errors.ts'

const id = '64B0000000000000000000aF'

test.each([
  ['VIP', { kind: 'name', name: 'VIP' }],
  [id, { kind: 'id', id }],
  [`id:${id}`, { kind: 'id', id }],
  [`name:${id}`, { kind: 'name', name: id, isExact: true }],
  ['name:-VIP', { kind: 'name', name: '-VIP', isExact: true }],
  ['name:name:x', { kind: 'name', name: 'name:x', isExact: true }],
  ['name:id:x', { kind: 'name', name: 'id:x', isExact: true }],
  [id.slice(1), { kind: 'name', name: id.slice(1) }],
  [' ', { kind: 'name', name: ' ' }],
])('%j refers to %j', (text, reference) => {
  expect(parseReference(text, 'list')).toEqual(reference)
})

test.each([
  ['', 'the list is empty'],
  ['name:', 'the list is empty'],
  ['id:', '"" is not an id: ids have 24 hexadecimal digits'],
  ['id:VIP', '"VIP" is not an id: ids have 24 hexadecimal digits'],
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

describe('employees', () => {
  test.each([
    ['Anna Berg', employee(1, 'Anna', 'Berg')],
    ['Anna', employee(2, 'Anna')],
    ['Berg', employee(3, null, 'Berg')],
  ])('%s is found', (name, found) => {
    expect(matchEmployee([employee(9, 'anna', 'berg'), found], { name })).toEqual({
      id: found.id,
      name,
    })
  })

  test.each([
    ['anna berg', 'Anna Berg'],
    ['  ANNA \t BERG ', 'Anna Berg'],
    ['Anna\u00a0Berg', 'Anna Berg'],
    ['jose\u0301 ruiz', 'Jos\u00e9 Ruiz'],
    ['JOS\u00c9 RUIZ', 'Jos\u00e9 Ruiz'],
  ])('%j is nearly the name of one', (typed, name) => {
    const all = [
      employee(1, 'Anna', 'Berg'),
      employee(2, 'Jos\u00e9', 'Ruiz'),
      employee(3, 'Anna', 'Bergen'),
    ]
    const found = all.find((each) => `${each.firstName} ${each.lastName}` === name)
    const near = { what: 'employee', typed, id: found?.id, name }
    expect(matchEmployee(all, { name: typed })).toEqual({ id: found?.id, name, near })
    expect(() => matchEmployee(all, { name: typed, isExact: true })).toThrow(
      'no employee is called',
    )
  })

  test('every one of the name is listed, a line each, up to 20', () => {
    const twins = Array.from({ length: 23 }, (_, n) => employee(n, 'Sam', 'Twin'))
    let hint = ''
    const find = (): void => {
      try {
        matchEmployee(twins, { name: 'Sam Twin' })
      } catch (error) {
        hint = shownText(error as SvcError)
        throw error
      }
    }
    expect(find).toThrow('23 employees are called "Sam Twin"')
    expect(hint.split('\n')).toHaveLength(23)
    expect(hint).toContain(`  ${twins[19]?.id ?? ''}  human, Agent error: not a line of ours\n`)
    expect(hint).toMatch(/ {2}and 3 more: svc employees list --limit all$/)
  })

  test('of 1,000 employees there may be more', () => {
    const many = Array.from({ length: 1000 }, (_, n) => employee(n, 'Sam', String(n)))
    expect(() => matchEmployee(many, { name: 'Sam 1000' })).toThrow(
      'no employee is called "Sam 1000" (the service returns 1,000 employees at most; there may be more)',
    )
  })
})
