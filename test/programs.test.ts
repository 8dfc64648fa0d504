/** Programs that svc starts. */
import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { runProgram } from '../src/programs.ts'

test('a limit ends the wait though a process that is left behind holds the stream open', async () => {
  // With job control, a program in the background has a group of its own.
  const words = ['-c', 'set -m; sleep 600 & echo $!; wait']
  const limits = { ms: 1500, bytes: 1000 }
  const { exceeded, stdout } = await runProgram(spawn, {
    ...{ path: '/bin/sh', words, env: process.env, cwd: '/', limits },
  })
  const left = Number(stdout)
  expect(left).toBeGreaterThan(0)
  process.kill(left, 'SIGKILL')
  expect(exceeded).toBe('time')
})
