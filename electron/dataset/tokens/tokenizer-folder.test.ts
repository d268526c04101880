import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/store-fixtures';
import { readTokenizerFolder } from './tokenizer-folder';

function folderWith(files: Record<string, unknown>, below = 'Model'): string {
  const folder = join(temporaryFolder(), below);
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  return folder;
}

const tokenizer = { 'tokenizer.json': { model: {} } };

describe('the template', () => {
  it('of the file goes before the one of the configuration', async () => {
    const folder = folderWith({
      ...tokenizer,
      'chat_template.jinja': 'of the file',
      'tokenizer_config.json': { chat_template: 'of the configuration' },
    });
    expect((await readTokenizerFolder(folder)).template).toEqual({
      source: 'of the file',
      file: 'chat_template.jinja',
    });
  });

  it('is the one for tools where there are several, which is said', async () => {
    const chat_template = [
      { name: 'default', template: 'plain' },
      { name: 'tool_use', template: 'tools' },
    ];
    const read = await readTokenizerFolder(
      folderWith({ ...tokenizer, 'tokenizer_config.json': { chat_template } }),
    );
    expect(read.template).toEqual({ source: 'tools', file: 'tokenizer_config.json (tool_use)' });
    expect(read.warnings).toEqual([expect.stringContaining('2 templates')]);
  });

  it('that has none of the known names is not chosen at random', async () => {
    const chat_template = [{ name: 'rag', template: 'x' }];
    const folder = folderWith({ ...tokenizer, 'tokenizer_config.json': { chat_template } });
    await expect(readTokenizerFolder(folder)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('named rag'),
    });
  });

  it('that is nowhere is missed by name', async () => {
    const config = { 'tokenizer_config.json': { chat_template: null } };
    for (const files of [tokenizer, { ...tokenizer, ...config }])
      await expect(readTokenizerFolder(folderWith(files))).rejects.toMatchObject({
        code: 'not_found',
        message: expect.stringContaining('has no chat template'),
      });
  });
});

it('special tokens are texts or objects with their content', async () => {
  const config = { bos_token: { __type: 'AddedToken', content: '<s>' }, eos_token: '</s>', pad_token: null };
  const folder = folderWith({ ...tokenizer, 'chat_template.jinja': 'x', 'tokenizer_config.json': config });
  expect((await readTokenizerFolder(folder)).variables).toEqual({ bos_token: '<s>', eos_token: '</s>' });
});

describe('a file', () => {
  it('that is missing is named', async () => {
    const folder = folderWith({ 'chat_template.jinja': 'x' });
    await expect(readTokenizerFolder(folder)).rejects.toMatchObject({
      code: 'not_found',
      message: `There is no file ${join(folder, 'tokenizer.json')}. No tokenizer was chosen.`,
    });
  });

  it('that is a pointer of git lfs, or no JSON, is refused with what to do', async () => {
    const lfs = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n';
    await expect(readTokenizerFolder(folderWith({ 'tokenizer.json': lfs }))).rejects.toThrow(/git lfs/);
  });

  it('that is not UTF-8 is refused', async () => {
    const folder = folderWith(tokenizer);
    writeFileSync(join(folder, 'chat_template.jinja'), Buffer.from([0x61, 0xff]));
    await expect(readTokenizerFolder(folder)).rejects.toThrow(/is not UTF-8/);
  });

  it('that is a link or a FIFO is neither followed nor waited for', async () => {
    const linked = folderWith({ 'chat_template.jinja': 'x' });
    symlinkSync('/etc/hostname', join(linked, 'tokenizer.json'));
    await expect(readTokenizerFolder(linked)).rejects.toThrow(/is a link/);
    const piped = folderWith({ 'chat_template.jinja': 'x' });
    execFileSync('mkfifo', [join(piped, 'tokenizer.json')]);
    await expect(readTokenizerFolder(piped)).rejects.toThrow(/is not a regular file/);
  });

  it('of another shape is refused with the field', async () => {
    const folder = folderWith({
      ...tokenizer,
      'tokenizer_config.json': { chat_template: [{ name: 'default' }] },
    });
    await expect(readTokenizerFolder(folder)).rejects.toThrow(/tokenizer_config.json is not valid/);
  });
});

describe("a snapshot of Hugging Face's cache", () => {
  const blob = 'a'.repeat(64);

  function snapshot(target: string): string {
    const folder = folderWith({ 'chat_template.jinja': 'x' }, 'models--Qwen--Qwen3-8B/snapshots/0123abcd');
    const blobs = join(folder, '../../blobs');
    mkdirSync(blobs);
    writeFileSync(join(blobs, blob), '{"model": {}}');
    symlinkSync(target, join(folder, 'tokenizer.json'));
    return folder;
  }

  it('is read through its own blobs, and named after the model', async () => {
    const read = await readTokenizerFolder(snapshot(`../../blobs/${blob}`));
    expect(read).toMatchObject({ name: 'Qwen/Qwen3-8B', tokenizer: { model: {} } });
  });

  it('is not read through any other link', async () => {
    for (const target of ['/etc/hostname', `../../../blobs/${blob}`, `../../blobs/../blobs/${blob}`])
      await expect(readTokenizerFolder(snapshot(target))).rejects.toThrow(/is a link/);
  });
});
