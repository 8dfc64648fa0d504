/** The packages that are part of a build: their licenses for those who get it, and a bill of materials for auditors. */
import { readdir, readFile } from 'node:fs/promises'

const read = async (path) => JSON.parse(await readFile(path, 'utf8'))

/** By folder: `{ folder, name, version, license, integrity }` of each package that the inputs of a build lie in. */
export async function packagesOf(inputs) {
  const { packages: locked } = await read('package-lock.json')
  const folders = inputs.map(
    (path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0],
  )
  const packages = [...new Set(folders)]
    .filter((folder) => folder !== undefined)
    .map(async (folder) => {
      const { name, version, license } = await read(`${folder}/package.json`)
      return { folder, name, version, license, integrity: locked[folder]?.integrity }
    })
  return (await Promise.all(packages)).sort((a, b) => (a.folder < b.folder ? -1 : 1))
}

export async function licenses(packages) {
  const texts = packages.map(async ({ folder, name, version, license }) => {
    const file = (await readdir(folder)).find((each) => /^licen[cs]e(?:\.md|\.txt)?$/i.test(each))
    const text = file && (await readFile(`${folder}/${file}`, 'utf8'))
    return `${name} ${version} (${license})\n\n${text ?? 'The package carries no licence file of its own.\n'}`
  })
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`)
}

/** CycloneDX 1.5; the same text for the same packages. */
export async function billOfMaterials(packages) {
  const { name, version, license } = await read('package.json')
  const component = {
    type: 'application',
    'bom-ref': name,
    name,
    version,
    licenses: [{ expression: license }],
  }
  const format = { bomFormat: 'CycloneDX', specVersion: '1.5', version: 1 }
  const document = { ...format, metadata: { component }, components: packages.map(componentOf) }
  return `${JSON.stringify(document, null, 2)}\n`
}

function componentOf({ name, version, license, integrity }) {
  const [group, short] = name.startsWith('@') ? name.split('/') : [undefined, name]
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  const [algorithm, sum] = integrity?.split('-') ?? []
  const content = algorithm === 'sha512' ? Buffer.from(sum, 'base64').toString('hex') : undefined
  return {
    type: 'library',
    'bom-ref': purl,
    group,
    name: short,
    version,
    purl,
    licenses: [{ expression: license }],
    hashes: content && [{ alg: 'SHA-512', content }],
  }
}
