/** Whether the files of a release say of each other what is so. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { targets } from '../targets.mjs'

/** By the name of the file. */
function sumsOf(release) {
  const lines = readFileSync(join(release, 'SHA256SUMS'), 'utf8').trimEnd().split('\n')
  return new Map(lines.map((line) => line.split('  ').toReversed()))
}

export function checkSums(release) {
  const sums = sumsOf(release)
  for (const [name, sum] of sums) {
    const own = createHash('sha256').update(readFileSync(join(release, name)))
    if (own.digest('hex') !== sum) throw new Error(`${name} is not what SHA256SUMS says`)
  }
  const unlisted = readdirSync(release).filter(
    (name) => !/^SHA256SUMS(?:\.sig)?$/.test(name) && !sums.has(name),
  )
  if (unlisted.length > 0) throw new Error(`not in SHA256SUMS: ${unlisted.join(', ')}`)
  return `${sums.size} files`
}

export function checkRecipes(release) {
  const sums = sumsOf(release)
  const recipes = ['svc.rb', 'svc.json', 'Dockerfile'].filter((name) => sums.has(name))
  const named = recipes.flatMap((recipe) => {
    const text = readFileSync(join(release, recipe), 'utf8')
    const pairs = text.matchAll(/(svc-[\w.-]+)"?,?\s+(?:sha256 "|"hash": "|sum=)([\da-f]{64})\b/g)
    const all = [...pairs].map(([, file, sum]) => ({ recipe, file, sum }))
    if (all.length !== text.split(/[\da-f]{64}/).length - 1)
      throw new Error(`${recipe} has a sum of nothing`)
    return all
  })
  for (const { recipe, file, sum } of named)
    if (sums.get(file) !== sum) throw new Error(`${recipe} has another sum of ${file}: ${sum}`)
  return `${named.length} sums in ${recipes.join(', ')}`
}

/** The bill names what `tools/build/bundled.json` lists, and the Node of each target that was made. */
export function checkBill(release, { root, version }) {
  const read = (path) => JSON.parse(readFileSync(path, 'utf8'))
  const { bomFormat, specVersion, components } = read(join(release, `svc-${version}.cdx.json`))
  if (bomFormat !== 'CycloneDX' || specVersion !== '1.5')
    throw new Error(`${bomFormat} ${specVersion}`)
  const made = Object.keys(targets).filter((target) =>
    readdirSync(release).some((name) => name.startsWith(`svc-${version}-${target}.`)),
  )
  const wanted = [
    ...read(join(root, 'tools/build/bundled.json')),
    ...made.map((target) => targets[target].node.split('/')[0]),
  ]
  const named = components.map(({ group, name }) =>
    group === undefined ? name : `${group}/${name}`,
  )
  if (named.length !== wanted.length || wanted.some((name) => !named.includes(name)))
    throw new Error(`it names ${named.join(', ')}`)
  const bare = components.filter(
    ({ version, purl, licenses, hashes }) => !version || !purl || !licenses || !hashes,
  )
  if (bare.length > 0)
    throw new Error(`without version, address, license or checksum: ${JSON.stringify(bare)}`)
  return `${wanted.length - made.length} packages and ${made.length} Nodes`
}
