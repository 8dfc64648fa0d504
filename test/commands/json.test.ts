/** `svc help --json`: what it says is what the commands take. */
import { expect, test } from 'vitest'
import { formats } from '../../src/output/format.ts'
import type { Option } from '../../src/options.ts'
import { createWorld } from '../svc.ts'

const { svc } = createWorld()

interface Help {
  readonly command: string
  readonly options: readonly (Option & { readonly name: string })[]
  readonly commands: readonly Help[]
}

function all(help: Help): Help[] {
  return [help, ...help.commands.flatMap(all)]
}

test('svc help --json is every command, with what its options take', async () => {
  const help = JSON.parse((await svc('help --json')).stdout) as Help & { readonly schema: string }
  const commands = all(help)
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
