/** Programs that svc starts. */
import { expect, test } from 'vitest'
import { runProgram } from '../src/programs.ts'

const { execPath: path, env } = process

test('a limit ends the wait though a process that is left behind holds the stream open', async () => {
  const child = 'setTimeout(() => undefined, 20_000)'
  const stdio = '{ stdio: "inherit", detached: true }'
  const script = `console.log(require("child_process").spawn(process.execPath, ["-e", "${child}"], ${stdio}).pid); setInterval(() => undefined, 1000)`
  const limits = { ms: 6000, bytes: 1000 }
  const { exceeded, stdout } = await runProgram({
    path,
    words: ['-e', script],
    env,
    cwd: '/',
    limits,
  })
  const left = Number(stdout)
  expect(left).toBeGreaterThan(0)
  process.kill(left, 'SIGKILL')
  expect(exceeded).toBe('time')
}, 30_000)
