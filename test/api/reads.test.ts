/** The counter that shows the reads of a command. */
import { expect, test } from 'vitest'
import { Reads } from '../../src/api/reads.ts'

/** Reads whose watcher writes down what it is told. */
function watched() {
  const told: string[] = []
  let text = (): string => ''
  const reads = new Reads((words) => {
    text = words
    return { start: () => told.push('start'), stop: () => told.push('stop') }
  })
  return { reads, told, text: () => text() }
}

test('members of many lists: of how many lists, and all members together', () => {
  const { reads, told, text } = watched()
  const lists = reads.begin('lists')
  ;[lists.read, lists.total] = [12, 300]
  for (let n = 0; n < 12; n += 1) {
    const members = reads.begin('members')
    members.total = 500
    members.read += 300
    if (n < 8) members.end()
  }
  expect(text()).toBe('12 of 300 lists, 3,600 members…')
  lists.end()
  expect(text()).toBe('12 of 300 lists, 3,600 members…')
  expect(told).toEqual(['start'])
})

test('pages read to find a name are not counted with those read afterwards', () => {
  const { reads, told, text } = watched()
  const lists = reads.begin('lists')
  ;[lists.read, lists.total] = [300, 300]
  lists.end()
  // Nobody knows how many there are.
  reads.begin('messages').read = 1240
  expect(text()).toBe('1,240 messages…')
  expect(told).toEqual(['start', 'stop', 'start'])
})
