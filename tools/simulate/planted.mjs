/**
 * Mistakes to plant in the program, a row each: the texts that stand in their files of `src` exactly once, what takes their places, and who
 * finds it. `test` and `words`: the file of `test` and the test in it that fails. Else the simulator finds it within 60 s of a processor,
 * among `steps`, or all steps.
 */
import { claims } from './planted/claims.mjs'
import { commands } from './planted/commands.mjs'
import { endings } from './planted/endings.mjs'
import { files } from './planted/files.mjs'
import { holders } from './planted/holders.mjs'
import { jobs } from './planted/jobs.mjs'
import { reads } from './planted/reads.mjs'
import { records } from './planted/records.mjs'
import { requests } from './planted/requests.mjs'
import { wires } from './planted/wires.mjs'

const rows = [
  claims,
  requests,
  records,
  holders,
  jobs,
  endings,
  reads,
  files,
  wires,
  commands,
].flat()

/** By their names. */
export const planted = new Map(
  rows.map(({ name, edits, ...finder }) => [
    name,
    { edits: edits.map(([file, from, to]) => ({ file: `src/${file}.ts`, from, to })), ...finder },
  ]),
)
