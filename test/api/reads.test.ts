/** The counter that shows the reads of a command. */
import { expect, test } from 'vitest'
import { Reads } from '../../src/api/reads.ts'

test('rows are counted by what they are, while any of them are read', () => {
  const told: string[] = []
  let text = (): string => ''
  const reads = new Reads((words) => {
    text = words
    return { start: () => told.push('start'), stop: () => told.push('stop') }
  })
  const lists = reads.begin('lists')
  const [first, second] = [reads.begin('members'), reads.begin('members')]
  lists.count(12)
  first.count(3_000)
  second.count(600)
  expect(text()).toBe('12 lists, 3,600 members…')
  lists.end()
  first.end()
  expect(told).toEqual(['start'])
  second.end()
  reads.begin('messages').count(1)
  expect(told).toEqual(['start', 'stop', 'start'])
  expect(text()).toBe('12 lists, 3,600 members, 1 messages…')
})
