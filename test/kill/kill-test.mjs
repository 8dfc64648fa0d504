/** npm run kill-test -- --kills 1000 [--seed 7] */
import { parseArgs } from 'node:util'
import { runKills } from './kills.mjs'

const { values } = parseArgs({ options: { kills: { type: 'string', default: '100' }, seed: { type: 'string' } } })
const kills = Number(values.kills)
const seed = values.seed === undefined ? Math.floor(Math.random() * 1e9) : Number(values.seed)
if (!Number.isSafeInteger(kills) || kills < 1 || !Number.isSafeInteger(seed))
  throw new Error('--kills and --seed are whole numbers')

console.log(`seed ${seed}`)
const result = await runKills({ kills, seed, log: (line) => console.log(line) })
console.log(`${result.runs} runs, ${result.inResumes} of the kills in resumes`)
console.log(`${result.kills} kills, ${result.lost} lost, ${result.doubled} doubled, ${result.false} falsely claimed`)
process.exitCode = result.lost + result.doubled + result.false === 0 ? 0 : 1
