/** Names of zip archives as Windows writes them: the text, and its bytes in the code page of that language, in hex. */
export const zipNames: Readonly<Record<string, readonly (readonly [text: string, bytes: string])[]>> = {
  shift_jis: [
    ['site/index.html', '736974652f696e6465782e68746d6c'],
    ['site/ソース.txt', '736974652f835c815b83582e747874'],
    ['site/料金表.html', '736974652f97bf8be0955c2e68746d6c'],
    ['site/写真/十月.jpg', '736974652f8eca905e2f8f5c8c8e2e6a7067'],
    ['ポスター.png', '837c8358835e815b2e706e67'],
  ],
  gbk: [
    ['网站/首页.html', 'cdf8d5be2fcad7d2b32e68746d6c'],
    ['网站/图片/产品目录.jpg', 'cdf8d5be2fcdbcc6ac2fb2fac6b7c4bfc2bc2e6a7067'],
    ['关于我们.txt', 'b9d8d3daced2c3c72e747874'],
  ],
  big5: [
    ['網站/首頁.html', 'baf4afb82fadbaadb62e68746d6c'],
    ['網站/圖片/產品目錄.jpg', 'baf4afb82fb9cfa4f92fb2a3ab7ea5d8bffd2e6a7067'],
    ['關於我們.txt', 'c3f6a9f3a7daadcc2e747874'],
  ],
  'euc-kr': [
    ['사이트/안내문.html', 'bbe7c0ccc6ae2fbec8b3bbb9ae2e68746d6c'],
    ['사이트/사진/여름휴가.jpg', 'bbe7c0ccc6ae2fbbe7c1f82fbfa9b8a7c8deb0a12e6a7067'],
  ],
  ibm866: [
    ['сайт/главная.html', 'e1a0a9e22fa3aba0a2ada0ef2e68746d6c'],
    ['сайт/картинки/Новый год.jpg', 'e1a0a9e22faaa0e0e2a8adaaa82f8daea2eba920a3aea42e6a7067'],
  ],
  none: [
    ['Büro/Übersicht.txt', '4281726f2f9a62657273696368742e747874'],
    ['café/été.jpg', '636166822f8274822e6a7067'],
    ['Ñandú.txt', 'a5616e64a32e747874'],
  ],
}
