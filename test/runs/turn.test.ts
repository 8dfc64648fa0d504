/** The signs of life of a command that has the turn of a run. */
import { expect, it } from 'vitest'
import { operation } from '../../src/commands/contacts/delete.ts'
import type { Host } from '../../src/host.ts'
import { openRuns, type Job } from '../../src/runs/engine.ts'
import { ownFolder } from '../support/ending.ts'
import { idOf } from '../support/inputs.ts'
import { hostWith } from '../support/real-host.ts'
import { opening } from '../support/record.ts'

it.each([
  [5, false],
  [10, true],
])('a sign of life that meets error %i of SQLite ends the run: %s', async (errcode, isEnd) => {
  let [giveSign, isFailing] = [() => undefined as void, false]
  const openDatabase = opening((method) => {
    if (isFailing && method === 'exec') throw Object.assign(new Error('no'), { errcode })
  })
  const every: Host['every'] = (_, callback) => {
    giveSign = callback
    return { cancel: () => undefined }
  }
  const env = { SVC_STATE_DIR: ownFolder('state') }
  const closing: (() => void)[] = []
  const host = hostWith({ openDatabase, every, env })
  const { runs } = await openRuns({ host, atClose: (task) => closing.push(task) })
  const input = { read: 1, unique: 1, duplicates: 0, leftOut: 0, withoutId: 0 }
  const job = { operation: operation.name, item: 'contact', input } as Job
  const turn = await runs.begin(operation, { job, items: [{ id: idOf(1), line: 0 }] })
  isFailing = true
  giveSign()
  isFailing = false
  expect(turn.failure !== undefined).toBe(isEnd)
  for (const close of closing) close()
})
