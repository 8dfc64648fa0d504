/** The job of an undo: which tickets go back, to whom, and which are left out. */
import { expect, it } from 'vitest'
import type { Profile } from '../../src/config/profile.ts'
import { operation } from '../../src/commands/tickets/assign.ts'
import type { Head, NewLine } from '../../src/runs/lines.ts'
import type { RunRecord } from '../../src/runs/record.ts'
import type { RunTools } from '../../src/runs/job.ts'
import { undoJob } from '../../src/runs/undo.ts'
import { idOf, refusal } from '../support/inputs.ts'
import { ada, baseUrl, beginningOf, linesOf, robin, stateAfter } from '../support/records.ts'

const result = (at: number, more: object) =>
  ({ t: 'res', b: [at, at + 1], o: 'done', ...more }) as NewLine
const changed = (at: number) => result(at, { assigneeBefore: ada.id, assigneeAfter: robin.id })

function undo(
  lines: readonly NewLine[],
  name: Head['operation'] = 'tickets.assign',
  url = baseUrl,
) {
  const notes: string[] = []
  const tools = {
    note: (message: string) => notes.push(message),
    profile: () => Promise.resolve({ baseUrl: url, apiKey: 'k', name: 'prod' } as Profile),
  } as unknown as RunTools
  const state = stateAfter([...beginningOf(name, { profile: 'prod', count: 5 }), ...lines])
  return { notes, job: undoJob(tools, operation, { run: 'r', state } as RunRecord) }
}

it('each ticket whose change an answer confirmed goes back, if the employee of the run still has it', async () => {
  const lines = [
    ...[changed(0), result(1, { o: 'unknown' }), result(2, { m: 'it has this assignee' })],
    ...[result(3, { assigneeBefore: robin.id, assigneeAfter: robin.id }), result(4, { o: 'kept' })],
  ]
  const { notes, job } = undo(lines)
  const { items, input, undoes } = await job
  expect([...items]).toEqual([{ id: idOf(1), line: 1, target: ada.id, expected: robin.id }])
  expect([undoes, input.leftOut, input.unique]).toEqual(['r', 2, 1])
  for (const id of [idOf(2), idOf(3)]) expect(notes.join()).toContain(id)
})

it('a change that is refused or unknown by now is not given back, whatever stands beside it; all given back is told by no note', async () => {
  const both = { assigneeBefore: ada.id, assigneeAfter: robin.id }
  const { job } = undo([
    ...[changed(0), result(1, { o: 'unknown', ...both }), result(2, { o: 'error', ...both })],
    ...[result(3, { assigneeBefore: ada.id }), result(4, { assigneeAfter: robin.id })],
  ])
  const { items, input, accept } = await job
  expect([[...items].map(({ id }) => id), input.leftOut, accept]).toEqual([[idOf(1)], 3, []])
  const whole = undo(all)
  expect([(await whole.job).items.size, whole.notes]).toEqual([5, []])
})

const all = [0, 1, 2, 3, 4].map(changed)
it.each<[string, NewLine[], RegExp, Head['operation']?, string?]>([
  ['something is due', [changed(0)], /is not finished[^]*resume/],
  ['nothing was changed', linesOf('kept@0-5'), /no confirmed change/],
  ['it is an add', all, /cannot be undone[^]*cannot be taken off a list/, 'lists.add-contacts'],
  ['it is a delete', all, /cannot be undone[^]*to see what it did/, 'contacts.delete'],
  ['another service', all, /is on/, 'tickets.assign', 'https://other.example.com'],
])('exit 2: %s', async (_, lines, words, name, url) => {
  const { exitCode, message, details } = await refusal(undo(lines, name, url).job)
  expect([exitCode, `${message}\n${details.hint}`]).toEqual([2, expect.stringMatching(words)])
})
