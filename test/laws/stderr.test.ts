/**
 * Every line on stderr with `--error-format json`, of every transcript: it is JSON and fits the schema of its type. What only reads, and says
 * nothing there that another command has not said, is not run a second time.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { safeParse } from 'valibot'
import { expect, test } from 'vitest'
import { StderrLine } from '../../src/cli/schemas.ts'
import { root } from '../svc.ts'
import { play } from '../transcripts/run.ts'
import { verbs } from '../tree.ts'

const folder = join(root, 'test/transcripts')
const topics = readdirSync(folder).filter((name) => name.endsWith('.txt'))

interface Misfit {
  readonly command: string
  readonly line: string
  readonly why: string
}

function misfit(line: string): string | undefined {
  let document: unknown
  try {
    document = JSON.parse(line)
  } catch {
    return 'no JSON'
  }
  const result = safeParse(StderrLine, document)
  return result.success ? undefined : result.issues.map(({ message }) => message).join('; ')
}

const reads = verbs.filter(({ command }) => command?.effect === 'reads').map(({ path }) => path)
/** Takes no time, but the minute that every command takes. */
const instead = '$ svc --version'

function onlyReads(command: string): boolean {
  const line = command.replace(/^\$ (?:env -u \w+ |\w+=(?:'[^']*'|\S*) )*/, '')
  return (
    !/ --(?:out|annotate)\b/.test(line) && reads.some((path) => `${line} `.startsWith(`${path} `))
  )
}

/** What a command said on stderr, by its kinds: without codes and numbers. */
const saidIn = (outcome: readonly string[]): string[] =>
  outcome.flatMap((line) => /^!\d* (.*)/.exec(line)?.[1]?.replaceAll(/\d[\d,.]*/g, '0') ?? [])

/** The transcript in which each read that says nothing new on stderr has another command in its place. */
function withoutRepeats(script: string): string {
  const said = new Set<string>()
  const kept: string[] = []
  for (const part of script.split(/^(?=\$ )/m)) {
    const [command = '', ...outcome] = part.split('\n')
    const lines = saidIn(outcome)
    const isRepeat = onlyReads(command) && lines.every((line) => said.has(line))
    kept.push([isRepeat ? instead : command, ...outcome].join('\n'))
    for (const line of lines) said.add(line)
  }
  return kept.join('')
}

test.each(topics)('%s', async (name) => {
  const misfits: Misfit[] = []
  const types = new Set<unknown>()
  const script = withoutRepeats(readFileSync(join(folder, name), 'utf8'))
  await play(script.replaceAll('--error-format text', '--error-format json'), undefined, {
    env: { SVC_ERROR_FORMAT: 'json' },
    onStderr(command, stderr) {
      for (const line of stderr.split('\n').filter((each) => each !== '')) {
        const why = misfit(line)
        if (why === undefined) types.add((JSON.parse(line) as { type: string }).type)
        else misfits.push({ command, line, why })
      }
    },
  })
  expect(misfits).toEqual([])
  expect(types.size).toBeGreaterThan(0)
})
