/** The lock of a `--once` name, whose folder goes away with it as long as nobody has the name. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { forgetEmptyName, lockName } from '../../src/bulk/runs/names.ts'
import { refusal, temporaryFolder } from '../ids/inputs.ts'
import { hostOn, machineWith } from './lock-world.ts'

const numbers = [1, 2, 3, 4]
const machine = machineWith(new Map(numbers.map((pid) => [pid, '1'])))
const options = { name: 'cleanup', takeOver: false, signal: new AbortController().signal }

it('is taken by one at a time, while others make and remove its folder', async () => {
  const folder = temporaryFolder()
  let held = 0
  let most = 0
  const problems = new Set<string>()
  async function takeAndForget(pid: number): Promise<void> {
    for (let n = 0; n < 30; n += 1) {
      try {
        const lock = await lockName(hostOn(machine, pid), folder.path, options)
        held += 1
        most = Math.max(most, held)
        await new Promise((done) => setImmediate(done))
        held -= 1
        await lock.release()
        await forgetEmptyName(hostOn(machine, pid), folder.path, 'cleanup')
      } catch (error) {
        problems.add(String(error).replace(/process \d/, 'process n'))
      }
    }
  }
  await Promise.all(numbers.map(takeAndForget))
  expect(most).toBe(1)
  expect([...problems]).toEqual(['SvcError: the name "cleanup" is in use by process n'])
  expect(readdirSync(join(folder.path, 'names'))).toEqual([])
  folder.remove()
})

it('is the same in any letter case', async () => {
  const folder = temporaryFolder()
  const lock = await lockName(hostOn(machine, 1), folder.path, options)
  const error = await refusal(lockName(hostOn(machine, 2), folder.path, { ...options, name: 'CleanUp' }))
  expect(error).toMatchObject({ exitCode: 11, message: 'the name "CleanUp" is in use by process 1' })
  await lock.release()
  folder.remove()
})
