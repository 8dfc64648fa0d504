/** Every line on stderr with `--error-format json`, of every transcript: it is JSON and fits the schema of its type. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { safeParse } from 'valibot'
import { expect, test } from 'vitest'
import { StderrLine } from '../../src/cli/schemas.ts'
import { root } from '../svc.ts'
import { play } from '../transcripts/run.ts'

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

test.each(topics)('%s', async (name) => {
  const misfits: Misfit[] = []
  const types = new Set<unknown>()
  const script = readFileSync(join(folder, name), 'utf8')
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
