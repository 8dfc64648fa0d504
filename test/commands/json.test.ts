/** `svc help --json`: what it says is what the commands take. */
import { expect, test } from 'vitest'
import { formats } from '../../src/output/format.ts'
import type { Option } from '../../src/options.ts'
import { createSandboxWorld } from '../svc.ts'

const { svc } = await createSandboxWorld()
const json = (text: string): unknown => JSON.parse(text)

interface Help {
  readonly command: string
  readonly options: readonly (Option & { readonly name: string })[]
  readonly examples?: readonly string[]
  readonly commands: readonly Help[]
}

function all(help: Help): Help[] {
  return [help, ...help.commands.flatMap(all)]
}

const help = json((await svc('help --json')).stdout) as Help & { readonly schema: string }
const commands = all(help)

test('svc help --json is every command, with what its options take', () => {
  expect(help.schema).toBe('svc.help/2')
  const options = commands.flatMap((each) => each.options)
  const output = options.find(({ name }) => name === '--output')
  expect(output).toMatchObject({ choices: [...formats], environment: ['SVC_OUTPUT'] })
  for (const { name, summary, choices = [] } of options)
    for (const value of choices) expect(summary, name).toContain(value)
  expect(options.find(({ name }) => name === '--file')?.isRepeatable).toBe(true)
  const deletion = commands.find(({ command }) => command === 'svc contacts delete')
  expect(deletion).toMatchObject({ effect: 'contacts.delete', arguments: [{ name: 'id' }] })
})
