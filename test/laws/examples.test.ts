/**
 * Every example of every help text as it is; of those that read every list, the first does so. Verbs are found by walking the tree. Those
 * that change something have a desk of their own.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { exitCodes } from '../../src/errors.ts'
import { topics } from '../../src/commands/help.ts'
import type { Desk } from '../support/transcripts/desk.ts'
import { allPages } from '../support/tree.ts'
import { typing } from '../support/svc.ts'
import { deskFor, isPlain } from '../support/place.ts'

const ofHelp = allPages.flatMap((page) =>
  page.examples.map((line) => line.replaceAll(/\s*\\\n\s*/g, ' ')),
)
/** Whole lines of the topics; those with a word in <brackets> cannot be typed as they are. */
const ofTopics = Object.values(topics).flatMap((page) =>
  [...page.matchAll(/^```\w*\n([^]*?)^```/gm)].flatMap(([, code = '']) =>
    code.split('\n').filter((line) => /^svc (?!.*<\w+>)/.test(line)),
  ),
)
/** A noun's page may show what one of its verbs does. */
const examples = new Set([...ofHelp, ...ofTopics.map((line) => line.trim())])
const isJson = (line: string) => isPlain(line) && /^svc (?!help |.*--fields).* --json\b/.test(line)

const whole = /^svc contacts (?:find|list|match|duplicates)\b(?!.*--(?:in|from) )/
const readsAll = [...examples].filter((line) => isPlain(line) && whole.test(line))

/** The first example that reads every list does so; the others read one list. */
const narrowed = (line: string): string =>
  line === readsAll[0] ? line : line.replace(whole, '$& --in "Trade fair"')

/** Examples that ask, and are answered with yes. */
const asks = /^svc runs (?:close|remove|undo)/
const onTerminal = { ...typing('y'), env: { TERM: 'xterm' } }

/** Runs a command that does not end by itself, and ends it when it says that it listens. */
async function runUntilListening(line: string, desk: Desk): Promise<void> {
  const { folder, env } = desk.world
  desk.prepareShell()
  const PATH = `${folder}/bin:${env['PATH']}`
  const child = spawn('/bin/sh', ['-c', `exec ${line}`], { cwd: folder, env: { ...env, PATH } })
  const ended = once(child, 'exit')
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  // The usual port may be taken on a machine where somebody works.
  const how = line.includes('--port') ? /listens on|"baseUrl"/ : /listens on|"baseUrl"|in use/
  await expect.poll(() => said).toMatch(how)
  child.kill('SIGTERM')
  const [, signal] = (await ended) as [number | null, string | null]
  expect(said.includes('in use') ? 'SIGTERM' : signal).toBe('SIGTERM')
}

/** Most end with 0: a run is shown with its own code, and contacts on no list are 3. */
function exitOf(line: string): number {
  if (line.includes('runs show')) return exitCodes.unavailable
  if (line.includes('get --file matched')) return 3
  return 0
}

describe('an example runs as it stands', () => {
  test.each([...examples])('%s', async (line) => {
    const desk = await deskFor(line)
    if (line.includes('sandbox start')) return runUntilListening(line, desk)
    const { code, stdout, stderr } = isPlain(line)
      ? (await desk.svc(narrowed(line).slice(4), asks.test(line) ? onTerminal : {})).result
      : await desk.sh(`export SHELL=/bin/bash; ${line}`)
    const expected = exitOf(line)
    expect({ code, stderr: code === expected ? '' : stderr + stdout }).toEqual({
      code: expected,
      stderr: '',
    })
    expect(stderr).not.toMatch(/^error/m)
    if (isJson(line)) expectDocument(line.slice(4), stdout, stderr)
  })
})

test('every verb has two examples or three, and each noun has one at least', () => {
  const [, ...pages] = allPages
  const wrong = pages.filter(
    ({ commands, examples: lines }) =>
      lines.length < (commands.length > 0 ? 1 : 2) || lines.length > 3,
  )
  expect(wrong.map(({ path }) => path)).toEqual([])
})

/** Checks that the output of a line with `--json` is one document. */
function expectDocument(line: string, stdout: string, stderr: string): void {
  // Files that were asked for are all that is written.
  const isInFiles = /--out /.test(line)
  expect(stdout === '').toBe(isInFiles)
  if (isInFiles) return
  const value = JSON.parse(stdout) as unknown
  expect(stdout.endsWith('\n')).toBe(true)
  expect(value).toBeDefined()
  // Notes are for people beside it.
  expect(stderr).toMatch(/^(?:(?:note|warning): .*\n(?: .*\n)*)*$/)
}
