/**
 * Every example of every help text as it is, each in a home and a folder of its own, with a sandbox of its own if it changes something: what
 * only a shell can do in a real one, whose `svc` is answered here; of those that read every list, the first does so. Those of verbs with a JSON
 * form that do not ask for it run once more with `--json`, and what they write is what their schema says. Verbs are found by walking the tree.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { promisify } from 'node:util'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { readTopics } from '../../src/program/help/topics.ts'
import { createWorld } from '../svc.ts'
import { allPages, verbs } from '../tree.ts'
import { isPlain, placeFor, schemaOf, withoutFormat, type Place } from './place.ts'
import { canRun } from '../has-feature.ts'

const topics = await readTopics()

const world = createWorld()

const ofHelp = allPages.flatMap((page) =>
  page.examples.map((line) => line.replaceAll(/\s*\\\n\s*/g, ' ')),
)
/** Whole lines of the topics; those with a word in <brackets> cannot be typed as they are. */
const ofTopics = topics
  // Commands of the skill follow one another: test/readme/recipes.test.ts runs them.
  .filter(({ name }) => name !== 'agents')
  .flatMap(({ text }) => text.split('\n').filter((line) => /^ {2}svc (?!.*<\w+>)/.test(line)))
/** A noun's page may show what one of its verbs does. */
const examples = new Set([...ofHelp, ...ofTopics.map((line) => line.trim())].filter(canRun))
const isJson = (line: string) => isPlain(line) && /^svc (?!help |.*--fields).* --json\b/.test(line)
const path = (line: string): string =>
  verbs.map((verb) => verb.path).find((each) => `svc ${line} `.startsWith(`${each} `)) ?? ''

async function run(line: string, { cwd, env }: Place) {
  try {
    const running = promisify(execFile)('/bin/sh', ['-c', line], { cwd, env, maxBuffer: 64 << 20 })
    // A shell ends when there is nothing more to type.
    running.child.stdin?.end()
    const { stdout, stderr } = await running
    return { code: 0, stdout, stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, stdout, stderr }
  }
}

const whole = /^svc contacts (?:find|list|match|duplicates)\b(?!.*--(?:in|from) )/
const readsAll = [...examples].filter((line) => isPlain(line) && whole.test(line))

/** The first example that reads every list does so; the others read one list. */
const narrowed = (line: string): string =>
  line === readsAll[0] ? line : line.replace(whole, '$& --in "Trade fair"')

/** Runs a command that does not end by itself, and ends it when it says that it listens. */
async function runUntilListening(line: string, { cwd, env }: Place): Promise<void> {
  const child: ChildProcess = spawn('/bin/sh', ['-c', `exec ${line}`], { cwd, env })
  const ended = new Promise<number | string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? code ?? -1))
  })
  let said = ''
  await new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        said += chunk.toString()
        if (/listens on|"baseUrl"/.test(said)) resolve()
      })
    }
    void ended.then(() => resolve())
  })
  child.kill('SIGTERM')
  const how = await ended
  // The usual port may be taken on a machine where somebody works.
  if (/in use/.test(said) && !line.includes('--port')) return
  expect([how, said]).toEqual(['SIGTERM', expect.stringMatching(/listens on|"baseUrl"/)])
}

/** Most end with 0: a job that is not there ends with 6, and a service that cannot be reached from a sandbox with 4. */
function exitOf(line: string): number {
  if (line.includes('runs check')) return 6
  return line.includes('profiles add') && line.includes('api.example.com') ? 4 : 0
}

// The limit is for what hangs: each example may start several processes, five at a time.
describe.concurrent('an example runs as it stands', () => {
  test.each([...examples])('%s', async (line) => {
    const here = await placeFor(line, world)
    try {
      if (line.includes('sandbox start')) return await runUntilListening(line, here)
      const { code, stdout, stderr } = isPlain(line)
        ? await here.svc(narrowed(line).slice(4))
        : await run(line, here)
      const expected = exitOf(line)
      expect({ code, stderr: code === expected ? '' : stderr + stdout }).toEqual({
        code: expected,
        stderr: '',
      })
      expect(stderr).not.toMatch(/^error/m)
      if (isJson(line)) await expectDocument(line.slice(4), stdout, stderr)
    } finally {
      await here.close()
    }
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

/** Commands that the examples do not show. The folder has these files. */
const more: readonly string[] = [
  'lists list --page 2',
  'lists get name:-VIP',
  'lists create --name Spring --dry-run',
  'lists update VIP --description x --dry-run',
  'contacts delete --file /dev/null --allow-empty --yes',
  'contacts merge 6400057ed5aad2927b000026 --into 640005a3d5aad2927b000027 --yes',
  'tickets history --file tickets.txt --limit 3',
  'tickets assign 64000004caa033e218000000 --to "Robin Berg" --dry-run',
  'profiles add ci --url http://127.0.0.1:1 --key k --secret-env SVC_API_SECRET',
]
const firstOfVerbs = verbs.flatMap(({ examples: own }) =>
  own
    .map((line) => line.replaceAll(/\s*\\\n\s*/g, ' '))
    .filter(isPlain)
    .slice(0, 1),
)
const lines = [
  ...new Set([...ofHelp.filter(isJson), ...firstOfVerbs].map(withoutFormat).concat(more)),
]
const asTheyStand = new Set([...examples].filter(isJson).map(withoutFormat))
/** The tests of the sandbox look at them: one says secrets that no other command may say, and ends by a signal; one takes long. */
const elsewhere = ['svc sandbox start']

describe.concurrent(
  '--json is one complete document, with the members of its schema and no others',
  () => {
    // Some choose members or exclude the format.
    const tried = lines.filter(
      (line) => !/^help |--fields| -i$|--explain/.test(line) && !asTheyStand.has(line),
    )
    test.each(tried)('%s', async (line) => {
      const here = await placeFor(line, world)
      try {
        // That it reads every list is seen above.
        const short = line.replace(
          /^contacts (?:find|list|match|duplicates)\b/,
          '$& --in "Trade fair"',
        )
        const { code, stdout, stderr } = await here.svc(`${short} --json`)
        // Rows without a contact have their own exit code, and so has a profile whose service cannot be reached.
        const own = /^contacts match|^runs check|^profiles add/.test(line) ? code : 0
        expect([code, /^error:/m.test(stderr)]).toEqual([own, false])
        await expectDocument(line, stdout, stderr)
      } finally {
        await here.close()
      }
    })
  },
)

/** Checks the output of a line with `--json` against its schema. */
async function expectDocument(line: string, stdout: string, stderr: string): Promise<void> {
  // Files that were asked for are all that is written.
  const isInFiles = /--out /.test(line)
  expect(stdout === '').toBe(isInFiles)
  if (isInFiles) return
  const value = JSON.parse(stdout) as unknown
  expect(stdout.endsWith('\n')).toBe(true)
  // A schema drops the members that it does not know.
  const verb = verbs.find((each) => each.path === path(line))
  const schema = verb === undefined ? undefined : await schemaOf(verb)
  expect(v.parse(schema ?? v.never(), value)).toEqual(value)
  // Notes are for people beside it.
  expect(stderr).toMatch(/^(?:(?:note|warning): .*\n(?: .*\n)*)*$/)
}

test('every verb with a JSON form was among them', async () => {
  const tried = new Set(lines.map(path))
  for (const verb of verbs) {
    const schema = await schemaOf(verb)
    if (schema === undefined) continue
    expect([verb.path, tried.has(verb.path)]).toEqual([verb.path, !elsewhere.includes(verb.path)])
  }
})
