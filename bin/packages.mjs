/** The packages that are part of a build: their licenses for those who get it, and a bill of materials for auditors. */
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const read = async (...path) => JSON.parse(await readFile(join(root, ...path), 'utf8'))

/** By name: `{ folder, name, version, license, integrity }` of each package that the inputs of a build lie in. */
export async function packagesOf(inputs) {
  const { packages: locked } = await read('package-lock.json')
  const folders = new Set()
  for (const input of inputs) {
    const path = input.startsWith('undici:') ? relative(root, input.slice('undici:'.length)) : input
    const found = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path.replaceAll('\\', '/'))
    if (found) folders.add(found[0])
  }
  const packages = []
  for (const folder of folders) {
    const { name, version, license } = await read(folder, 'package.json')
    packages.push({ folder, name, version, license, integrity: locked[folder]?.integrity })
  }
  return packages.sort((a, b) => (a.folder < b.folder ? -1 : 1))
}

export async function licenses(packages) {
  const texts = []
  for (const { folder, name, version, license } of packages) {
    texts.push(`${name} ${version} (${license})\n\n${await licenseText(join(root, folder))}`)
  }
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}

async function licenseText(folder) {
  for (const name of ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license', 'LICENCE', 'License']) {
    try {
      return await readFile(join(folder, name), 'utf8')
    } catch (error) {
      if (error.code !== 'ENOENT') throw error
    }
  }
  return 'The package carries no licence file of its own.\n'
}

/** CycloneDX 1.5; the same text for the same packages. */
export async function billOfMaterials(packages) {
  const { name, version, license } = await read('package.json')
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: { type: 'application', 'bom-ref': name, name, version, licenses: [{ expression: license }] },
    },
    components: packages.map(component),
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

function component({ name, version, license, integrity }) {
  const [group, short] = name.startsWith('@') ? name.split('/') : [undefined, name]
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  const [algorithm, sum] = integrity?.split('-') ?? []
  return {
    type: 'library',
    'bom-ref': purl,
    ...(group === undefined ? {} : { group }),
    name: short,
    version,
    purl,
    licenses: [{ expression: license }],
    ...(algorithm === 'sha512'
      ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(sum, 'base64').toString('hex') }] }
      : {}),
  }
}
