/** The contents of a folder of pages: a link to each, with the facts at its head. It can do no more than they can. */
import { grouped } from '../../words.ts'
import { escapeHtml, pageHead } from './page.ts'

const style = `
:root{color-scheme:light dark}
body{max-width:46rem;margin:0 auto;padding:1.5rem 1rem;font:16px/1.45 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.1rem}
ul{list-style:none;margin:0;padding:0}
li{padding:.6rem 0;border-top:1px solid #8888}
dl{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin:.2rem 0 0;font-size:.875rem}
dl div{display:flex;gap:.35rem;min-width:0}
dd{margin:0;min-width:0}
footer{padding-top:1.5rem;font-size:.875rem}
`
const facts = /<dl>(?:<div><dt>[^<>]*<\/dt><dd dir="auto">[^<>]*<\/dd><\/div>)+<\/dl>/

/** `head`: the beginning of the page's text, of which nothing but facts is taken. */
export function indexPage(pages: readonly { readonly name: string; readonly head: string }[]): string {
  const title = `${grouped(pages.length)} ${pages.length === 1 ? 'conversation' : 'conversations'}`
  const items = pages.map(({ name, head }) => {
    const ticket = escapeHtml(name.replace(/\.html$/, ''))
    return `<li><a href="${escapeHtml(name)}">Ticket ${ticket}</a>${facts.exec(head)?.[0] ?? ''}</li>\n`
  })
  return `${pageHead(title, style)}<main>
<h1>${title}</h1>
<ul>
${items.join('')}</ul>
<footer>SHA256SUMS has the checksum of each page: sha256sum --check SHA256SUMS</footer>
</main>
</body>
</html>
`
}
