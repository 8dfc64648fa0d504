/** `npm run check`: the scripts `check:…`, as many at once as there are processors. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
const checks = Object.keys(scripts).filter((name) => name.startsWith('check:'))

async function runNext() {
  const name = checks.shift()
  if (name === undefined) return
  const child = spawn(scripts[name], { shell: true })
  const said = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => said.push(piece))
  const ending = await new Promise((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal))
  })
  process.stdout.write(`> ${name}\n${Buffer.concat(said)}`)
  if (ending !== 0) {
    console.log(`${name} failed: ${ending}`)
    process.exitCode = 1
  }
  await runNext()
}

await Promise.all(Array.from({ length: availableParallelism() }, runNext))
