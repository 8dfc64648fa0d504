import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createWorld, guardSecret, type World } from '../../support/svc.ts'

/** Types each answer, and the return key, once its question is on the screen. */
function typist(answers: [question: string, answer: string][]) {
  let screen = ''
  let from = 0
  const terminal = () => {
    const input = new PassThrough()
    const output = new PassThrough()
    output.on('data', (chunk: Buffer) => {
      screen += chunk.toString()
      const [question, answer] = answers[0] ?? []
      // What is before `...` is a message above the question.
      const places = question?.split('...').map((part) => screen.slice(from).lastIndexOf(part))
      const isShown = places?.every((at, n) => at > (places[n - 1] ?? -1))
      if (isShown !== true || answer === undefined) return
      answers.shift()
      from = screen.length
      setImmediate(() => input.write(`${answer}\r`))
    })
    return { input, output, columns: 80, close: () => input.end() }
  }
  return { terminal, seen: () => screen }
}

const profileOf = ({ folder }: World): unknown =>
  (
    JSON.parse(readFileSync(join(folder, '.config/svc/config.json'), 'utf8')) as {
      profiles: { ci: unknown }
    }
  ).profiles.ci

test('asks for what is missing, and with --replace for the secret of a new key; it is not shown while it is typed', async () => {
  const world = createWorld()
  guardSecret('s3cret-typed')
  const add = async (words: string, answers: [string, string][]) => {
    const { terminal, seen } = typist(answers)
    const env = { TERM: 'xterm' }
    expect(await world.svc(`profiles add ci ${words}`, { terminal, env })).toMatchObject({
      code: 0,
    })
    expect(seen()).not.toContain('s3cret')
  }
  await add('', [
    ['Base URL', 'http://api.example.com'],
    ['http:// works only for 127.0.0.0/8...Base URL', ''],
    ['http:// works only for 127.0.0.0/8...Base URL', 'http://127.0.0.1:1'],
    ['API key', 'pk_live_a1b2 '],
    ['API secret', ' s3cret-typed '],
  ])
  const profile = { baseUrl: 'http://127.0.0.1:1', apiKey: 'pk_live_a1b2' }
  expect(profileOf(world)).toEqual({ ...profile, apiSecret: 's3cret-typed' })
  await add('--replace --protected --max-delete 5', [])
  const rules = { protected: true, maxDelete: 5 }
  expect(profileOf(world)).toEqual({ ...profile, apiSecret: 's3cret-typed', ...rules })
  await add('--replace --key pk_live_c3d4', [
    ['API secret', ' s3cret'],
    ['it must be one line of 8 to 4,096 characters...API secret', 's3cret-02 '],
  ])
  const renewed = { ...profile, apiKey: 'pk_live_c3d4', apiSecret: 's3cret-02' }
  expect(profileOf(world)).toEqual({ ...renewed, ...rules })
  await add('--replace --no-protected --max-delete none', [])
  const unprotected = { ...renewed, protected: false }
  expect(profileOf(world)).toEqual(unprotected)
  // With nothing else, a new secret of the same key, or both.
  await add('--replace', [
    ['API key (Enter keeps …c3d4):', ''],
    ['API secret', 's3cret-03'],
  ])
  expect(profileOf(world)).toEqual({ ...unprotected, apiSecret: 's3cret-03' })
  await add('--replace', [
    ['API key (Enter keeps …c3d4):', 'pk live'],
    ['1 to 1,024 visible characters...API key', 'pk_live_e5f6'],
    ['API secret', 's3cret-04'],
  ])
  const both = { apiKey: 'pk_live_e5f6', apiSecret: 's3cret-04' }
  expect(profileOf(world)).toEqual({ ...unprotected, ...both })
})
