/** Programs that svc starts. */
import { expect, test } from 'vitest'
import { runProgram } from '../src/programs.ts'

const { execPath: path, env } = process

test('the last line on stderr is heard though nothing ends it', async () => {
  const lines: string[] = []
  const words = ['-e', 'process.stderr.write("first\\nlast")']
  await runProgram({ path, words, env, onLine: (line) => void lines.push(line) })
  expect(lines).toEqual(['first', 'last'])
})

test('a limit ends the wait though a process that is left behind holds both streams open', async () => {
  const child = 'setTimeout(() => undefined, 20_000)'
  const stdio = '{ stdio: "inherit", detached: true }'
  const script = `console.log(require("child_process").spawn(process.execPath, ["-e", "${child}"], ${stdio}).pid); setInterval(() => undefined, 1000)`
  const limits = { ms: 1000, bytes: 1000 }
  const { exceeded, stdout } = await runProgram({
    path,
    words: ['-e', script],
    env,
    limits,
    onLine: () => undefined,
  })
  const left = Number(stdout)
  expect(left).toBeGreaterThan(0)
  process.kill(left, 'SIGKILL')
  expect(exceeded).toBe('time')
}, 15_000)
