// Prints what a built page weighs: for each kind of file, and of all that a first
// visit loads, the bytes as they are, by gzip and by Brotli, both at their best.
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const folder = process.argv[1];
const kinds = ['.html', '.css', '.js', '.wasm'];

function brotli(bytes) {
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;
  const params = { [BROTLI_PARAM_QUALITY]: 11, [BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return brotliCompressSync(bytes, { params });
}

function row(name, sizes) {
  const kib = sizes.map((bytes) => (bytes / 1024).toFixed(1).padStart(9));
  return `${name.padEnd(6)}${kib.join('')}`;
}

const total = [0, 0, 0];
const lines = [];
for (const kind of kinds) {
  const sum = [0, 0, 0];
  for (const file of readdirSync(folder).filter((name) => extname(name) === kind)) {
    const bytes = readFileSync(join(folder, file));
    [bytes.length, gzipSync(bytes, { level: 9 }).length, brotli(bytes).length].forEach((size, at) => {
      sum[at] += size;
      total[at] += size;
    });
  }
  if (sum[0] > 0) lines.push(row(kind.slice(1), sum));
}
console.log(['KiB         raw     gzip   brotli', ...lines, row('all', total)].join('\n'));
