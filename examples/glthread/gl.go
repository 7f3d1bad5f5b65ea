//go:build linux && (amd64 || arm64)

package main

import (
	"errors"
	"fmt"
	"image"
)

// A gl is an OpenGL ES context with an off-screen surface. Only the OS thread that made it may call
// its methods, except elsewhere.
type gl struct {
	*lib
	display, surface, context uintptr
	width, height             int
}

const vertexShader = `
attribute vec2 at;
attribute vec3 colour;
varying vec3 painted;
void main() {
	painted = colour;
	gl_Position = vec4(at, 0.0, 1.0);
}`

const fragmentShader = `
precision mediump float;
varying vec3 painted;
void main() { gl_FragColor = vec4(painted, 1.0); }`

// newGL makes a context and makes it current on the calling OS thread.
func newGL(width, height int) (*gl, error) {
	l, err := load()
	if err != nil {
		return nil, err
	}
	g := &gl{lib: l, width: width, height: height}
	fail := func(what string) (*gl, error) {
		err := fmt.Errorf("%s: EGL error %#x (on Debian, for a software renderer: apt install %s)",
			what, l.eglGetError(), packages)
		g.close()
		return nil, err
	}
	if g.display = l.eglGetPlatformDisplay(eglPlatformSurfaceless, 0, nil); g.display == 0 {
		return fail("eglGetPlatformDisplay")
	}
	if l.eglInitialize(g.display, nil, nil) == 0 {
		g.display = 0
		return fail("eglInitialize")
	}
	if l.eglBindAPI(eglOpenGLESAPI) == 0 {
		return fail("eglBindAPI")
	}
	var config uintptr
	var count int32
	wanted := []int32{
		eglSurfaceType, eglPbufferBit, eglRenderableType, eglOpenGLES2Bit,
		eglRedSize, 8, eglGreenSize, 8, eglBlueSize, 8, eglAlphaSize, 8, eglNone,
	}
	if l.eglChooseConfig(g.display, &wanted[0], &config, 1, &count) == 0 || count == 0 {
		return fail("eglChooseConfig")
	}
	size := []int32{eglWidth, int32(width), eglHeight, int32(height), eglNone}
	if g.surface = l.eglCreatePbufferSurface(g.display, config, &size[0]); g.surface == 0 {
		return fail("eglCreatePbufferSurface")
	}
	version := []int32{eglContextVersion, 2, eglNone}
	if g.context = l.eglCreateContext(g.display, config, 0, &version[0]); g.context == 0 {
		return fail("eglCreateContext")
	}
	if l.eglMakeCurrent(g.display, g.surface, g.surface, g.context) == 0 {
		return fail("eglMakeCurrent")
	}
	if err := g.program(); err != nil {
		g.close()
		return nil, err
	}
	l.glViewport(0, 0, int32(width), int32(height))
	return g, nil
}

// program makes the one program there is and the one buffer, and sets them up for good.
func (g *gl) program() error {
	p := g.glCreateProgram()
	for kind, source := range map[uint32]string{glVertexShader: vertexShader,
		glFragmentShader: fragmentShader} {
		s, err := g.compile(kind, source)
		if err != nil {
			return err
		}
		g.glAttachShader(p, s)
	}
	g.glBindAttribLocation(p, 0, cString("at"))
	g.glBindAttribLocation(p, 1, cString("colour"))
	g.glLinkProgram(p)
	var ok int32
	if g.glGetProgramiv(p, glLinkStatus, &ok); ok == 0 {
		return errors.New("the program does not link")
	}
	g.glUseProgram(p)
	var buffer uint32
	g.glGenBuffers(1, &buffer)
	g.glBindBuffer(glArrayBuffer, buffer)
	const float = 4 // bytes
	g.glVertexAttribPointer(0, 2, glFloat, false, floats*float, 0)
	g.glVertexAttribPointer(1, 3, glFloat, false, floats*float, 2*float)
	g.glEnableVertexAttribArray(0)
	g.glEnableVertexAttribArray(1)
	return nil
}

// about returns the renderer and its version.
func (g *gl) about() string {
	renderer, _ := g.text(glRenderer)
	version, _ := g.text(glVersion)
	return renderer + ", " + version
}

func (g *gl) clear(c rgb) {
	g.glClearColor(c[0], c[1], c[2], 1)
	g.glClear(glColorBufferBit)
}

// fan draws triangles, each of which has the first vertex and two neighbours of the others.
func (g *gl) fan(shape []vertex) {
	const size = floats * 4
	g.glBufferData(glArrayBuffer, len(shape)*size, &shape[0][0], glStreamDraw)
	g.glDrawArrays(glTriangleFan, 0, int32(len(shape)))
}

// read reads the picture back. The rows of OpenGL run upwards.
func (g *gl) read() (*image.NRGBA, error) {
	m := image.NewNRGBA(image.Rect(0, 0, g.width, g.height))
	for y := range g.height {
		g.glReadPixels(0, int32(g.height-1-y), int32(g.width), 1, glRGBA, glUnsignedByte,
			&m.Pix[y*m.Stride])
	}
	if code := g.glGetError(); code != 0 {
		return nil, fmt.Errorf("drawing: OpenGL error %#x", code)
	}
	return m, nil
}

func (g *gl) close() {
	if g.display == 0 {
		return
	}
	g.eglMakeCurrent(g.display, 0, 0, 0)
	if g.context != 0 {
		g.eglDestroyContext(g.display, g.context)
	}
	if g.surface != 0 {
		g.eglDestroySurface(g.display, g.surface)
	}
	g.eglTerminate(g.display)
	g.eglReleaseThread()
}

// elsewhere is called on another OS thread, while the context is current on its own. It returns the
// error of EGL when the context is made current there too, and the version of OpenGL, which is
// unknown where no context is current.
func (g *gl) elsewhere() (code int32, version string, known bool) {
	defer g.eglReleaseThread()
	if g.eglMakeCurrent(g.display, g.surface, g.surface, g.context) == 0 {
		code = g.eglGetError()
	} else {
		defer g.eglMakeCurrent(g.display, 0, 0, 0)
	}
	version, known = g.text(glVersion)
	return code, version, known
}
