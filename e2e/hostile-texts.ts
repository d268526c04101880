import { blackPng } from '../electron/testing/images';

const esc = String.fromCharCode(27);
const key = (text: string) => `window.__pwned=${JSON.stringify(text)}`;

/**
 * What somebody who means harm puts into markdown (trust §3.6), each with its name. `leak` is an address on this machine that must
 * never be asked.
 */
export function hostileTexts(leak: string): Record<string, string> {
  const run = key('ran').replaceAll('"', "'");
  return {
    script: `<script>${run}</script><script src="${leak}/script.js"></script>`,
    'img onerror': `<img src=x onerror="${run}"><img src="${leak}/img.png" srcset="${leak}/set.png 2x">`,
    'svg onload': `<svg onload="${run}"><script>${run}</script><image href="${leak}/svg.png"/><use href="${leak}/u.svg#a"/></svg>`,
    'iframe srcdoc': `<iframe srcdoc="<script>parent.${run}</script>"></iframe><iframe src="${leak}/frame"></iframe>`,
    'mutation in math': `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${run}&gt;">`,
    'style import': `<style>@import url("${leak}/a.css"); body{background:url(${leak}/bg.png)}</style>`,
    'styles that look': `<style>input[value^="a"]{background:url(${leak}/a)} [title*="k"]{background:url(${leak}/k)}</style>`,
    base: `<base href="${leak}/"><a href="relative">relative</a>`,
    'meta refresh': `<meta http-equiv="refresh" content="0;url=${leak}/refresh"><link rel="prefetch" href="${leak}/pre"><link rel=stylesheet href="${leak}/s.css">`,
    form: `<form action="${leak}/form"><input name=q value=secret autofocus onfocus="${run}"><button>Go</button></form>`,
    'object and embed': `<object data="${leak}/object"></object><embed src="${leak}/embed"><video src="${leak}/v.mp4" autoplay></video><audio src="${leak}/a.mp3" autoplay>`,
    'javascript:': `[plain](javascript:${run}) [tab](java\tscript:${run}) [entity](java&#x73;cript:${run}) [upper](JAVASCRIPT:${run}) [line](<javascript:\n${run}>)`,
    'data: page': `[page](data:text/html,<script>${run}</script>) [vb](vbscript:msgbox) [file](file:///etc/passwd)`,
    'other schemes': `[code](vscode://file/etc/passwd) [ssh](ssh://x) [ms](ms-msdt:/id) [app](app://waymark/../x) <javascript:${run}>`,
    image: `![a picture](${leak}/?leak) ![local](file:///etc/passwd) ![](//127.0.0.1/x)`,
    'image by reference': `![a picture][there]\n\n[there]: ${leak}/reference "title"`,
    autolink: `${leak}/autolink <${leak}/angle> www.127.0.0.1/x someone@example.com`,
    'other windows': `<a target=_blank href="${leak}/blank" ping="${leak}/ping">blank</a> [a](${leak}/link)`,
    footnote: `Text[^1] and[^__proto__].\n\n[^1]: ${leak}/foot <img src="${leak}/foot.png">\n[^__proto__]: <b id=__proto__>x</b>`,
    clobbering: `<a id=__proto__></a><form name=body id=waymark><input name=invoke></form><img name=getElementById><a id=trustedTypes>`,
    details: `<details open ontoggle="${run}"><summary>x</summary></details><marquee onstart="${run}"><body onload="${run}">`,
    katex: `$\\href{javascript:${run}}{x}$ $$\\url{${leak}/katex}\\includegraphics{${leak}/k.png}\\htmlData{a=b}{x}$$`,
    mermaid: `\`\`\`mermaid\ngraph TD; A-->B\nclick A "${leak}/mermaid"\nclick B call ${run}\n\`\`\``,
    ansi: `${esc}[31mred${esc}]8;;${leak}/osc${String.fromCharCode(7)}link${esc}]8;;${String.fromCharCode(7)} ${esc}]52;c;c2VjcmV0${String.fromCharCode(7)}${esc}[2147483647L`,
    bidi: `invoice\u202Efdp.exe \u2066hidden\u2069 \u{E0041}\u{E0042} [\u202Emoc.elgoog](${leak}/bidi)`,
    homograph: `[https://аpple.com](${leak}/homograph) https://xn--pple-43d.com @ [https://good.example](${leak}/other)`,
    'svg as a picture': `![x](data:image/svg+xml;base64,${Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" onload="${run}"><script>${run}</script><image href="${leak}/in.svg"/></svg>`).toString('base64')})`,
    'a huge picture': `data:image/png;base64,${blackPng(30_000, 30_000).toString('base64')}`,
    webview: `<webview src="${leak}/webview" nodeintegration allowpopups></webview><portal src="${leak}/portal"></portal>`,
    'template and shadow': `<template shadowrootmode=open><img src="${leak}/shadow" onerror="${run}"></template><noscript><p title="</noscript><img src=x onerror=${run}>">`,
    'nested fences': `\`\`\`html\n<script>${run}</script>\n\`\`\`\`\n<img src=x onerror=${run}>\n\`\`\``,
    '5 MB in one line': 'a **b** '.repeat(655_360),
    '50,000 quotes': `${'>'.repeat(50_000)} deep`,
    '100,000 brackets': '['.repeat(100_000),
  };
}
